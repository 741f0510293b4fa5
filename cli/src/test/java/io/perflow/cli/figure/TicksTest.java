package io.perflow.cli.figure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.cli.figure.Ticks.Tick;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import org.junit.jupiter.api.Test;

class TicksTest {
  private static List<String> labels(Ticks ticks) {
    return ticks.major().stream().map(Tick::label).toList();
  }

  @Test
  void plainNumbersWhileTheyAreShort() {
    assertEquals(List.of("0.0", "0.5", "1.0"), labels(Ticks.linear(0, 1, 3)));
    assertEquals(
        List.of("−0.50", "−0.25", "0.00", "0.25", "0.50"), labels(Ticks.linear(-0.6, 0.6, 5)));
    assertEquals(List.of("0", "1000", "2000", "3000"), labels(Ticks.linear(0, 3000, 3)));
    assertEquals("", Ticks.linear(0, 3000, 3).factor());
  }

  @Test
  void smallAndLargeNumbersShareAFactor() {
    Ticks small = Ticks.linear(0, 5e-4, 5);
    assertEquals(List.of("0", "1", "2", "3", "4", "5"), labels(small));
    assertEquals("×10⁻⁴", small.factor());
    Ticks large = Ticks.linear(0, 62_700, 3);
    assertEquals(List.of("0.0", "2.5", "5.0"), labels(large));
    assertEquals("×10⁴", large.factor());
  }

  @Test
  void decadesOnLogarithmicAxes() {
    Ticks ticks = Ticks.logarithmic(1e-3, 10, 5);
    assertEquals(List.of("10⁻³", "10⁻²", "10⁻¹", "10⁰", "10¹"), labels(ticks));
    assertEquals(4 * 8, ticks.minor().size());
    assertEquals(List.of("1", "10", "100"), labels(Ticks.logarithmic(1, 200, 5)));
  }

  @Test
  void longLogarithmicAxesSkipDecades() {
    assertEquals(
        List.of("10⁻¹⁶", "10⁻¹³", "10⁻¹⁰", "10⁻⁷", "10⁻⁴"),
        labels(Ticks.logarithmic(1e-16, 1e-2, 5)));
  }

  @Test
  void shortLogarithmicAxesHaveNumbersBetween() {
    assertEquals(List.of("0.05", "0.1", "0.2"), labels(Ticks.logarithmic(0.04, 0.3, 5)));
    assertEquals(List.of("2×10⁻⁶", "5×10⁻⁶"), labels(Ticks.logarithmic(1.5e-6, 8e-6, 5)));
  }

  @Property(tries = 200)
  void linearTicksAreFewRoundAndApart(
      @ForAll @DoubleRange(min = -1000, max = 1000) double spans,
      @ForAll @DoubleRange(min = -6, max = 6) double decade) {
    double span = Math.pow(10, decade);
    double low = spans * span;
    Ticks ticks = Ticks.linear(low, low + span, 5);
    List<Tick> major = ticks.major();
    assertTrue(major.size() >= 2 && major.size() <= 7, () -> "ticks: " + major);
    for (int i = 0; i < major.size(); i++) {
      double at = major.get(i).value();
      assertTrue(at >= low - 1e-6 * span && at <= low + span + 1e-6 * span);
      if (i > 0) {
        assertTrue(!major.get(i).label().equals(major.get(i - 1).label()), () -> "" + major);
      }
    }
  }
}
