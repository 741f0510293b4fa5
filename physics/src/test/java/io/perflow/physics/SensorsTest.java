package io.perflow.physics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.perflow.physics.Sensors.Pattern;
import io.perflow.physics.Sensors.Sharing;
import io.perflow.tensor.ShapeException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The law of sensors and the texts of symmetries. */
class SensorsTest {
  private static void fails(String message, Executable call) {
    assertEquals(message, assertThrows(IllegalArgumentException.class, call).getMessage());
  }

  @Test
  void lawsSayWhatTheyAre() {
    assertEquals("30 random points", Sensors.points(30).toString());
    assertEquals("10 to 50 random points", Sensors.points(10, 50).toString());
    assertEquals(
        "5 random places of x, each read along the other axis", Sensors.lines("x", 5).toString());
    assertEquals(
        "2 fixed places", Sensors.at(List.of(List.of(0.0, 1.0), List.of(1.0, 0.0))).toString());
    assertEquals(Sharing.INDEPENDENT, Sensors.points(3).sharing());
    assertEquals("[independent, per-frame, shared]", List.of(Sharing.values()).toString());
  }

  @ParameterizedTest
  @CsvSource({"INDEPENDENT, 6", "PER_FRAME, 3", "SHARED, 1"})
  void sharingDecidesTheNumberOfPlanes(Sharing sharing, int planes) {
    assertEquals(planes, Sensors.points(4).sharing(sharing).planes(2, 3));
  }

  @Test
  void otherNumbersKeepTheRest() {
    Sensors lines = Sensors.lines("x", 5).sharing(Sharing.SHARED);
    assertEquals(Sensors.lines("x", 1, 9).sharing(Sharing.SHARED), lines.count(1, 9));
    fails(
        "[sensors] the places are fixed, so their number 1 cannot become 2 to 3",
        () -> Sensors.at(List.of(List.of(0.0, 0.0))).count(2, 3));
  }

  @Test
  void impossibleLawsAreRefused() {
    fails(
        "[sensors] from 0 to 0 sensors: at least 1, and the smaller number first",
        () -> Sensors.points(0));
    fails(
        "[sensors] from 5 to 4 sensors: at least 1, and the smaller number first",
        () -> Sensors.lines("x", 5, 4));
    fails(
        "[sensors] fixed sensors need at least one place, and others have none; found 0 for FIXED",
        () -> Sensors.at(List.of()));
    fails(
        "[sensors] a place has two coordinates, [1.0] has not",
        () -> Sensors.at(List.of(List.of(1.0))));
    List<List<Double>> one = List.of(List.of(1.0, 2.0));
    fails(
        "[sensors] fixed sensors need at least one place, and others have none; found 1 for POINTS",
        () -> new Sensors(Pattern.POINTS, "", 1, 1, Sharing.SHARED, one));
    fails(
        "[sensors] from 1 to 2 sensors at 1 places: each place has one",
        () -> new Sensors(Pattern.FIXED, "", 1, 2, Sharing.SHARED, one));
    fails(
        "[sensors] lines need an axis, and nothing else has one; found axis '' for LINES",
        () -> Sensors.lines("", 2));
    fails(
        "[sensors] lines need an axis, and nothing else has one; found axis 'x' for POINTS",
        () -> new Sensors(Pattern.POINTS, "x", 1, 1, Sharing.SHARED, List.of()));
  }

  @Test
  void placesAreCopied() {
    List<Double> place = new ArrayList<>(List.of(1.0, 2.0));
    List<List<Double>> places = new ArrayList<>(List.of(place));
    Sensors law = Sensors.at(places);
    place.set(0, 7.0);
    places.clear();
    assertEquals(List.of(List.of(1.0, 2.0)), law.places());
  }

  // ---- symmetries

  @ParameterizedTest
  @ValueSource(
      strings = {
        "shift:x",
        "shift:x-y",
        "mirror:x",
        "mirror:x:-u",
        "mirror:sea level:-u,-v",
        "transpose",
        "mirror:x:-sea-level"
      })
  void symmetriesAreTheirTexts(String text) {
    assertEquals(text, Symmetry.of(text).toString());
    assertEquals(Symmetry.of(text), Symmetry.of("  " + text.replace(",", " , ") + " "));
  }

  @Test
  void partsOfASymmetry() {
    assertEquals(
        new Symmetry(Symmetry.Kind.SHIFT, List.of("x", "y"), List.of()),
        Symmetry.of("shift: x - y"));
    assertEquals(
        new Symmetry(Symmetry.Kind.MIRROR, List.of("x"), List.of("u", "sea-level")),
        Symmetry.of("mirror:x:-u, -sea-level"));
    assertEquals(
        new Symmetry(Symmetry.Kind.TRANSPOSE, List.of(), List.of()), Symmetry.of("transpose"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "shift",
        "shift:",
        "mirror",
        "mirror:x-y",
        "mirror:x:u",
        "shift:x:-u",
        "shift:x-y-z",
        "transpose:x",
        "Transpose",
        "rotate:x",
        "mirror:x:-u:-v",
        "shift:-x"
      })
  void otherTextsAreRefused(String text) {
    fails(
        "'%s' is not a symmetry; write shift:x, shift:x-y, mirror:x, mirror:x:-u or transpose"
            .formatted(text),
        () -> Symmetry.of(text));
  }

  @Test
  void hostileTextsAreShownOnOneShortLine() {
    fails(
        "'a\ufffdb' is not a symmetry; write shift:x, shift:x-y, mirror:x, mirror:x:-u or"
            + " transpose",
        () -> Symmetry.of("a\nb"));
    fails(
        "quantities that change their sign are written -u,-v, not 'v'",
        () -> Symmetry.of("mirror:x:-u,v"));
    fails(
        "[symmetry] SHIFT of axes [x, x] that negates []: a shift has one axis or two different"
            + " ones, a mirror has one, a transposition none, and only a mirror negates",
        () -> Symmetry.of("shift:x-x"));
    assertThrows(
        ShapeException.class, () -> new Symmetry(Symmetry.Kind.MIRROR, List.of(), List.of()));
    assertThrows(
        ShapeException.class, () -> new Symmetry(Symmetry.Kind.TRANSPOSE, List.of("x"), List.of()));
    assertThrows(
        ShapeException.class, () -> new Symmetry(Symmetry.Kind.SHIFT, List.of("x"), List.of("u")));
  }
}
