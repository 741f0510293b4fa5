package io.perflow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.Dataset;
import io.perflow.physics.Problem;
import io.perflow.physics.Sensors;
import io.perflow.tensor.io.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Places for the sensors of a user's own problem. */
class PlaceCommandTest {
  @TempDir static Path home;

  @BeforeAll
  static void data() throws IOException {
    Plate.problem().write(home.resolve("problem.json"));
    Plate.data(Plate.problem(), 60, 300).write(home.resolve("train.safetensors"));
  }

  private static Object[] place(String out, Object... more) {
    return Shell.with(new Object[] {"place", home, "--out", home.resolve(out)}, more);
  }

  private static List<List<Double>> places(String file) throws IOException {
    return Sensors.read(home.resolve(file), Plate.problem().grid()).places();
  }

  @Test
  void placesAreWrittenWithTheirErrorsAndAFigure() throws IOException {
    String text = Shell.good(place("places.csv", "--sensors", 4)).out();
    assertTrue(text.contains("57 fields of T [K], p [Pa] on 8 x 12 points, and 3 to val"), text);
    assertTrue(text.contains("candidates  192 places, each reads 1 of 2 channels\n"), text);
    assertTrue(text.contains("placed      4 sensors by exchange in "), text);
    assertTrue(text.contains("\nrms error of T [K], expected and on fields held out\n"), text);
    assertTrue(text.contains("\nrms error of p [Pa], expected and on fields held out\n"), text);
    assertTrue(text.contains("\nnote: each sensor reads what its line says"), text);
    List<String> lines = Files.readAllLines(home.resolve("places.csv"));
    assertEquals("y [m],x [m],sensor,reads,relative_error", lines.get(1));
    assertTrue(lines.get(2).matches("[\\d.]+,[\\d.]+,1,\"[Tp]\",0\\.\\d+"), lines.get(2));
    assertEquals(4, places("places.csv").size());
    byte[] png = Files.readAllBytes(home.resolve("places.png"));
    assertEquals("PNG", new String(png, 1, 3, StandardCharsets.US_ASCII));
  }

  @Test
  void numbersTellWhatPlacedSensorsAreWorth() throws IOException {
    Object[] args =
        place("json.csv", "--sensors", 3, "--together", "--method", "greedy", "--noise", 0.01);
    Map<String, Object> numbers = Shell.good(Shell.with(args, "--json")).json();
    assertEquals(places("json.csv").size(), Json.list(numbers.get("places"), "places").size());
    assertEquals("greedy", numbers.get("method"));
    assertEquals(96L, numbers.get("candidates"));
    List<Object> relative = Json.list(numbers.get("relative_error"), "relative_error");
    assertEquals(4, relative.size());
    assertEquals(1, Json.number(relative.getFirst(), "error"), 1e-12);
    Map<String, Object> heat =
        Json.object(Json.list(numbers.get("rms_error"), "rms_error").getFirst(), "T");
    assertEquals(List.of(1L, 2L, 3L), heat.get("tried_with"));
    double expected = Json.number(Json.list(heat.get("expected"), "expected").getLast(), "T");
    double placed = Json.number(Json.list(heat.get("placed"), "placed").getLast(), "T");
    // three waves and three sensors that read both quantities: little is left but the noise
    assertTrue(expected > 0 && expected < 0.5, "expected " + expected + " K");
    assertTrue(placed > 0 && placed < 4 * expected, placed + " K, expected " + expected + " K");
    Shell.Result again = Shell.good(Shell.with(args, "--json"));
    assertEquals(numbers, again.json());
  }

  @Test
  void placesAreChosenAmongThoseOfATable() throws IOException {
    Path table = Files.writeString(home.resolve("wall.csv"), "x,y\n0,0\n2,0\n2,1\n0,1\n1,1\n");
    Path wet = Files.writeString(home.resolve("wet.csv"), "y,x\n1,1\n0,0\n");
    Object[] among = {"--sensors", 3, "--together", "--candidates", table, "--forbidden", wet};
    Shell.good(place("wall-places.csv", Shell.with(among, "--method", "pivoted")));
    List<List<Double>> corners = List.of(List.of(0.0, 2.0), List.of(1.0, 2.0), List.of(1.0, 0.0));
    assertEquals(Set.copyOf(corners), Set.copyOf(places("wall-places.csv")));
  }

  @Test
  void aLineHasAllItsPoints() throws IOException {
    Problem lines = Plate.problem().with(Sensors.lines("x", 2).sharing(Sensors.Sharing.SHARED));
    Path data = home.resolve("lines.npz");
    Dataset.read(home.resolve("train.safetensors")).with(lines).write(data);
    Path out = home.resolve("lines.csv");
    String text = Shell.good("place", "--data", data, "--sensors", 2, "--out", out).out();
    assertTrue(text.contains("candidates  12 lines, each reads all quantities\n"), text);
    assertFalse(text.contains("note:"), text);
    List<List<Double>> places = places("lines.csv");
    assertEquals(2 * Plate.HEIGHT, places.size());
    assertEquals(2, places.stream().map(place -> place.get(1)).distinct().count());
  }

  // ---- mistakes

  private static void says(String expected, Object... args) {
    assertEquals("perflow: " + expected, Shell.bad(args));
  }

  @Test
  void mistakesAreToldInOneLine() throws IOException {
    says(
        "name a problem.json, as perflow init writes it, or --data",
        "place",
        "--sensors",
        3,
        "--out",
        home.resolve("no.csv"));
    says(
        "Invalid value for option '--sensors': '0' is not a whole number of at least 1"
            + " (see perflow place --help)",
        place("no.csv", "--sensors", 0));
    says(
        "[placement] 97 sensors, but there are only 96 candidates; ask for fewer, or allow more"
            + " places",
        place("no.csv", "--sensors", 97, "--together"));
    says(
        "--noise -0.1 must be a number from 0 to 1000000.0, as 0.05",
        place("no.csv", "--sensors", 3, "--noise", -0.1));
    Path far = Files.writeString(home.resolve("far.csv"), "y,x\n0.5,2.5\n");
    says(
        far + ": line 2: [axis x] x = 2.5 lies outside [0.0, 2.0] m",
        place("no.csv", "--sensors", 1, "--candidates", far));
    Path other = Files.writeString(home.resolve("other.csv"), "lat,lon\n0.5,2.5\n");
    says(
        other + ": has no column y; its first line must name the axes y,x",
        place("no.csv", "--sensors", 1, "--forbidden", other));
    assertFalse(Files.exists(home.resolve("no.csv")));
  }
}
