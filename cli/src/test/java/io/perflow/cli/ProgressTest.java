package io.perflow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class ProgressTest {
  private final StringWriter screen = new StringWriter();
  private long now = 5_000_000_000L;

  private Progress watched(long total) {
    return new Progress("train", total, new Screen(new PrintWriter(screen), true), () -> now);
  }

  private void pass(double seconds) {
    now += (long) (1e9 * seconds);
  }

  /** What the terminal shows in the end: a carriage return goes back to the start of the line. */
  private String shown() {
    String text = screen.toString();
    return text.substring(text.lastIndexOf('\r', text.length() - 2) + 1).strip();
  }

  @Test
  void showsShareRateAndTimeLeft() {
    Progress progress = watched(5000);
    progress.at(0);
    assertEquals("train 0/5000 0% [····················]", shown());
    pass(10);
    progress.at(1250);
    assertEquals("train 1250/5000 25% [#####···············] 125/s, 0:30 left", shown());
    pass(90);
    progress.at(5000);
    assertEquals("train 5000/5000 100% [####################] 50.0/s, 0:00 left", shown());
  }

  @Test
  void beforeTheFirstStepIsDoneTheTimeShowsThatItIsAtWork() {
    Progress progress = watched(5000);
    progress.at(0);
    pass(7);
    progress.at(0, "half");
    assertEquals("train 0/5000 0% [····················], 7 s, half", shown());
  }

  @Test
  void theRateIsOfThisRunAlone() {
    Progress progress = watched(10_000);
    progress.at(9000);
    pass(1000);
    progress.at(9100);
    assertEquals("train 9100/10000 91% [##################··] 0.100/s, 2:30:00 left", shown());
  }

  @Test
  void drawsTenTimesASecondAtMost() {
    Progress progress = watched(1000);
    progress.at(0);
    for (int i = 1; i < 1000; i++) {
      pass(0.001);
      progress.at(i);
    }
    int draws = screen.toString().split("\r").length - 1;
    assertTrue(draws >= 9 && draws <= 11, draws + " draws in a second");
  }

  @Test
  void aShorterLineLeavesNoRest() {
    Progress progress = watched(9);
    progress.at(0);
    pass(100_000);
    progress.at(1);
    int before = screen.getBuffer().length();
    pass(1);
    progress.at(9);
    String last = screen.toString().substring(before);
    assertTrue(last.endsWith(" "), "the line before was longer");
    progress.close();
    assertEquals("", shown());
    assertTrue(screen.toString().endsWith("\r"));
  }

  @Test
  void aLogGetsLinesLessAndLessOften() {
    Progress progress =
        new Progress("train", 1000, new Screen(new PrintWriter(screen), false), () -> now);
    progress.at(0);
    for (int second = 1; second <= 100; second++) {
      pass(1);
      progress.at(10 * second);
    }
    progress.close();
    String[] lines = screen.toString().split("\\R");
    assertEquals("perflow: train 10/1000 1% 10.0/s, 1:39 left", lines[0]);
    assertEquals(7, lines.length, "after 1, 2, 4, 8, 16, 32 and 64 s: " + screen);
  }

  @Test
  void aTaskWithoutStepsShowsItsTime() {
    Progress progress = watched(0);
    progress.at(0);
    assertEquals("train ...", shown());
    pass(3);
    progress.at(0);
    assertEquals("train ... 3 s", shown());
  }

  @Test
  void nobodyWatching() {
    Progress progress = new Progress("train", 10, Screen.NONE, () -> now);
    progress.at(0);
    pass(1);
    progress.at(10);
    progress.close();
    assertEquals("", screen.toString());
    assertFalse(Progress.rate(1234.5).contains("."), "three digits are enough");
  }
}
