package io.perflow.cli.studio;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.flow.PriorModel;
import io.perflow.flow.Reconstruction;
import io.perflow.physics.Readings;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.Json;
import io.perflow.tensor.io.Npz;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Reconstructions by the server: what comes, in which order, and that it is what the command makes.
 */
class ReconstructTest {
  @TempDir static Path home;
  private static StudioServer server;
  private static Client client;
  private static Path heat;
  private static Path puffs;
  private static Path flow;
  private static String data;

  private static final List<Map<String, Object>> FOUR =
      List.of(
          Client.sensor(1, 2, 3, 0),
          Client.sensor(2, 11, 4, 0),
          Client.sensor(3, 5, 12, 0),
          Client.sensor(4, 13, 13, 0));

  @BeforeAll
  static void start() throws IOException {
    Path models = TinyModels.write(home);
    heat = models.resolve("heat.safetensors");
    puffs = models.resolve("puffs.safetensors");
    flow = models.resolve("puffs-flow.safetensors");
    data = home.resolve("data.safetensors").toString();
    server = StudioServer.start(TinyModels.library(home), 0);
    client = new Client(server.url());
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static Map<String, Object> open(Path model) throws Exception {
    return client.ask("open", Map.of("page", "test", "model", model.toString()));
  }

  private static String simulated() throws Exception {
    return Json.object(open(heat).get("fields"), "fields").keySet().iterator().next();
  }

  private static float[] numbers(Object text) {
    ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode((String) text));
    float[] found = new float[bytes.remaining() / 4];
    bytes.order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer().get(found);
    return found;
  }

  private static List<String> kinds(List<Map<String, Object>> events) {
    return events.stream()
        .map(e -> (String) e.get("event"))
        .filter(kind -> !kind.equals("progress") && !kind.equals("preparing"))
        .toList();
  }

  @Test
  void modelsAreListedTheChosenOneFirst() throws Exception {
    Map<String, Object> found = Json.object(Json.parse(client.get("api/models").body()), "models");
    List<Object> models = Json.list(found.get("models"), "models");
    assertEquals(3, models.size());
    assertEquals(heat.toString(), Json.object(models.getFirst(), "model").get("id"));
    Map<String, Object> colors = Json.object(found.get("colors"), "colors");
    assertEquals(List.of("sequential", "diverging", "error"), List.copyOf(colors.keySet()));
    assertEquals(257, Json.list(colors.get("error"), "error").size());
  }

  @Test
  void aModelIsDescribed() throws Exception {
    Map<String, Object> plate = open(heat);
    assertEquals(List.of("kriging"), plate.get("methods"));
    assertEquals(true, plate.get("suggests"));
    assertTrue(simulated().startsWith("simulated ("), simulated());
    Map<String, Object> puff = open(puffs);
    assertEquals(Map.of(data, 40L), puff.get("fields"));
    assertEquals("t", Json.object(puff.get("frames"), "frames").get("name"));
    assertEquals("shared", Json.object(puff.get("sensors"), "sensors").get("sharing"));
    assertEquals(List.of("flow"), open(flow).get("methods"));
    assertEquals(false, open(flow).get("suggests"));
  }

  @Test
  void theFirstGuessComesFirstThenSamplesInOrderThenTheJudgement() throws Exception {
    List<Map<String, Object>> events =
        client.allEvents(Client.study(heat, simulated(), "kriging", 5, FOUR));
    assertEquals(
        List.of(
            "begun", "guess", "guess", "sample", "judged", "sample", "judged", "sample", "sample",
            "judged", "sample", "judged", "done"),
        kinds(events));
    int next = 0;
    for (Map<String, Object> event : events) {
      if (event.get("event").equals("sample")) {
        assertEquals((long) next++, event.get("index"));
      }
    }
    assertEquals(4L, events.getFirst().get("readings"));
    Map<String, Object> last = events.get(events.size() - 2);
    assertEquals(5L, last.get("samples"));
    assertFalse(Json.list(last.get("misfits"), "misfits").isEmpty());
    assertEquals(TinyModels.SIZE * TinyModels.SIZE, numbers(last.get("mean")).length);
  }

  @Test
  void theResultIsThatOfTheCommandOnTheDownloadedReadings() throws Exception {
    List<Map<String, Object>> events =
        client.allEvents(Client.study(heat, simulated(), "kriging", 5, FOUR));
    String command =
        (String) Json.object(events.getFirst().get("commands"), "commands").get("kriging");
    assertTrue(command.endsWith("--system kriging --samples 5 --seed 1 --out result"), command);
    byte[] csv = client.bytes("api/table?page=test").body();
    Path table = Files.write(home.resolve("readings.csv"), csv);
    PriorModel model = PriorModel.load(heat);
    Readings readings = Readings.read(table, model.problem());
    Reconstruction same =
        Reconstruction.of(model.kriging(), readings, 5, Rng.of(1).split("samples"));
    Map<String, Object> last = events.get(events.size() - 2);
    assertArrayEquals(floats(same.fields().mean()), numbers(last.get("mean")), 1e-3f);
    assertArrayEquals(floats(same.deviation()), numbers(last.get("deviation")), 1e-3f);
    Path npz =
        Files.write(
            home.resolve("fields.npz"), client.bytes("api/arrays?page=test&method=kriging").body());
    try (Npz fields = Npz.read(npz)) {
      assertEquals(5, fields.shape("samples").dim(0));
      assertArrayEquals(floats(same.fields().mean()), fields.load("mean").toFloats(), 1e-3f);
    }
    HttpResponse<byte[]> figure = client.bytes("api/figure?page=test&method=kriging");
    assertEquals("image/png", figure.headers().firstValue("Content-Type").orElseThrow());
    assertEquals("PNG", new String(figure.body(), 1, 3, StandardCharsets.US_ASCII));
  }

  private static float[] floats(Tensor field) {
    return field.to(io.perflow.tensor.DataType.F32).toFloats();
  }

  @Test
  void aFlowWithoutAPriorBeginsWithItsSamples() throws Exception {
    List<Map<String, Object>> sensors = List.of(Client.sensor(7, 2, 3, 0, 1, 2, 3, 4, 5));
    Map<String, Object> study = Client.study(flow, data, "flow", 2, sensors);
    study.put("steps", 3);
    List<Map<String, Object>> events = client.allEvents(study);
    assertEquals(List.of("begun", "sample", "judged", "sample", "judged", "done"), kinds(events));
    assertTrue(events.stream().anyMatch(e -> e.get("event").equals("progress")));
  }

  @Test
  void theModesOfAPriorAreToldWhileTheyAreMadeAndMadeOnce() throws Exception {
    try (StudioServer fresh = StudioServer.start(TinyModels.library(home), 0)) {
      Client other = new Client(fresh.url());
      Map<String, Object> study = Client.study(heat, simulated(), "kriging", 0, FOUR);
      List<Map<String, Object>> events = other.allEvents(study);
      assertEquals("preparing", events.get(1).get("event"));
      assertEquals("making the modes of the prior", events.get(1).get("note"));
      assertEquals(0, ((Number) events.get(1).get("part")).doubleValue());
      assertEquals("guess", other.allEvents(study).get(1).get("event"));
    }
  }

  @Test
  void withoutSamplesThereIsTheFirstGuessAlone() throws Exception {
    List<Map<String, Object>> events =
        client.allEvents(Client.study(heat, simulated(), "kriging", 0, FOUR));
    assertEquals(List.of("begun", "guess", "guess", "done"), kinds(events));
  }

  @Test
  void withoutSensorsThereIsThePrior() throws Exception {
    List<Map<String, Object>> events =
        client.allEvents(Client.study(heat, simulated(), "kriging", 2, List.of()));
    assertEquals("done", events.getLast().get("event"));
  }

  @Test
  void linesReadAllTheirPoints() throws Exception {
    Map<String, Object> line = Client.sensor(1, 0, 5, 0, 3);
    line.put("along", "rows");
    List<Map<String, Object>> events =
        client.allEvents(Client.study(puffs, data, "kriging", 1, List.of(line)));
    assertEquals(16L, events.getFirst().get("readings"));
    String table = client.get("api/table?page=test").body();
    assertTrue(
        table.startsWith("t,y,x,quantity,value,sigma\n0.0,0.0,0.8333333333333333,c,"), table);
  }

  @Test
  void aLaterChangeCancelsTheEarlier() throws Exception {
    Map<String, Object> sensor = Client.sensor(7, 2, 3, 0, 1, 2, 3, 4, 5);
    Map<String, Object> slow = Client.study(flow, data, "flow", 1000, List.of(sensor));
    slow.put("steps", 200);
    try (Stream<Map<String, Object>> events = client.events(slow)) {
      Iterator<Map<String, Object>> iterator = events.iterator();
      assertEquals("begun", iterator.next().get("event"));
      Map<String, Object> quick = Client.study(flow, data, "flow", 1, List.of(sensor));
      quick.put("steps", 1);
      assertEquals("done", client.allEvents(quick).getLast().get("event"));
      List<String> rest = new ArrayList<>();
      iterator.forEachRemaining(event -> rest.add((String) event.get("event")));
      assertEquals("cancelled", rest.getLast());
      assertTrue(rest.size() < 500, "cancelled after " + rest.size() + " events");
    }
  }

  @Test
  void readingsOfAPersonsOwn() throws Exception {
    String table = "t,y,x,c,T\n0,0.5,0.25,2.1,\n1,0.25,1.95,1.9,301\n";
    String call = "api/readings?name=my.csv&model=" + puffs;
    Map<String, Object> found = Json.object(Json.parse(client.post(call, table).body()), "answer");
    List<Object> sensors = Json.list(found.get("sensors"), "sensors");
    assertEquals(3, sensors.size());
    Map<String, Object> third = Json.object(sensors.get(2), "sensor");
    assertEquals(List.of(4L), third.get("channels"));
    assertEquals(11.7, Json.number(third.get("column"), "column"), 1e-9);
    Map<String, Object> study = Client.study(puffs, null, "kriging", 2, List.of());
    study.put("sensors", sensors);
    assertEquals("done", client.allEvents(study).getLast().get("event"));
    assertEquals(
        "my.csv: line 2: c = 'warm' is not a number",
        Client.line(client.post(call, "t,y,x,c\n0,0.5,0.25,warm\n")));
  }

  @Test
  void theNextSensorIsSuggested() throws Exception {
    Map<String, Object> asked = Client.study(heat, simulated(), "kriging", 0, FOUR);
    asked.put("wanted", Client.sensor(0, 0, 0, 0));
    Map<String, Object> found = client.ask("suggest", asked);
    double row = Json.number(found.get("row"), "row");
    double column = Json.number(found.get("column"), "column");
    for (Map<String, Object> there : FOUR) {
      double far =
          Math.hypot(row - (double) there.get("row"), column - (double) there.get("column"));
      assertTrue(far > 2, found + " is next to " + there);
    }
  }

  @Test
  void mistakesAreOneLineThatNamesTheSensor() throws Exception {
    String source = simulated();
    assertEquals(
        "json: sensor 3 is at point 99.0 of y, which has 0 to 15.0",
        client.refused(
            "reconstruct",
            Client.study(heat, source, "kriging", 1, List.of(Client.sensor(3, 99, 0, 0)))));
    assertTrue(
        client
            .refused("reconstruct", Client.study(heat, source, "flow", 1, FOUR))
            .endsWith("has no flow; it has [kriging]"));
    assertTrue(
        client
            .refused("reconstruct", Client.study(heat, null, "kriging", 1, FOUR))
            .startsWith("sensor 1 has no value, and the field is not known"));
    assertTrue(
        client
            .refused("reconstruct", Client.study(heat, "none", "kriging", 1, FOUR))
            .contains("has no fields 'none'"));
    Map<String, Object> many = Client.study(heat, source, "kriging", 100_000, FOUR);
    assertTrue(client.refused("reconstruct", many).contains("samples must be an integer from 0"));
  }

  @Test
  void contradictionsAreToldBeforeAnythingIsDrawn() throws Exception {
    Map<String, Object> one = Client.sensor(1, 2, 3, 0);
    one.put("values", List.of(300.0));
    one.put("sigmas", List.of(0.0));
    Map<String, Object> other = Client.sensor(2, 2, 3, 0);
    other.put("values", List.of(301.0));
    other.put("sigmas", List.of(0.0));
    String line =
        client.refused("reconstruct", Client.study(heat, null, "kriging", 1, List.of(one, other)));
    assertTrue(line.startsWith("sensor 1 and sensor 2 both read"), line);
  }
}
