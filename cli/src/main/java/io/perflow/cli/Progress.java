package io.perflow.cli;

import java.io.Console;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * A line that says how far a long task is: {@code train 1250/5000 25% [#####···············]
 * 81.3/s, 0:46 left, loss 0.0312}.
 *
 * <p>It is drawn on a terminal only. When the output goes to a file or another program there is
 * nobody to watch it, and nothing is written at all. Any thread may report.
 */
final class Progress implements AutoCloseable {
  private static final int BAR = 20;
  private static final long REDRAW_NANOS = 100_000_000;

  private final String task;
  private final long total;
  private final PrintWriter terminal; // null: nobody watches
  private final LongSupplier clock;
  private long first = -1; // where this run began, which is not 0 if it goes on from an earlier one
  private long started;
  private long drawn;
  private int width; // of the line that is there

  Progress(String task, long total, PrintWriter terminal, LongSupplier clock) {
    this.task = task;
    this.total = total;
    this.terminal = terminal;
    this.clock = clock;
  }

  /** On the terminal of this process, if its output is one. */
  static Progress of(String task, long total) {
    Console console = System.console();
    boolean watched = console != null && console.isTerminal();
    return new Progress(task, total, watched ? console.writer() : null, System::nanoTime);
  }

  /**
   * Reports that {@code done} of the total are done; the first report says where the task began.
   */
  synchronized void at(long done) {
    at(done, "");
  }

  /** The same with a word on how it goes. */
  synchronized void at(long done, String note) {
    long now = clock.getAsLong();
    if (first < 0) {
      first = done;
      started = now;
    } else if (now - drawn < REDRAW_NANOS && done < total) {
      return;
    }
    drawn = now;
    if (terminal != null) {
      draw(line(done, (now - started) / 1e9) + (note.isEmpty() ? "" : ", " + note));
    }
  }

  private String line(long done, double seconds) {
    long whole = Math.max(1, total);
    int filled = (int) (BAR * done / whole);
    String bar = "#".repeat(filled) + "·".repeat(BAR - filled);
    String head = "%s %d/%d %d%% [%s]".formatted(task, done, total, 100 * done / whole, bar);
    if (done == first || seconds <= 0) {
      return head;
    }
    double rate = (done - first) / seconds;
    long left = Math.round((total - done) / rate);
    return "%s %s/s, %s left".formatted(head, rate(rate), time(left));
  }

  /** Three digits of a rate. */
  static String rate(double perSecond) {
    int decimals = perSecond >= 100 ? 0 : perSecond >= 10 ? 1 : perSecond >= 1 ? 2 : 3;
    return String.format(Locale.ROOT, "%." + decimals + "f", perSecond);
  }

  private static String time(long seconds) {
    return seconds < 3600
        ? "%d:%02d".formatted(seconds / 60, seconds % 60)
        : "%d:%02d:%02d".formatted(seconds / 3600, seconds / 60 % 60, seconds % 60);
  }

  private void draw(String line) {
    terminal.print("\r" + line + " ".repeat(Math.max(0, width - line.length())));
    terminal.flush();
    width = line.length();
  }

  /** Removes the line. */
  @Override
  public synchronized void close() {
    if (terminal != null && width > 0) {
      draw("");
      terminal.print("\r");
      terminal.flush();
    }
  }
}
