package io.perflow.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.function.LongSupplier;
import picocli.CommandLine.Model.CommandSpec;

/**
 * A line that shows the progress of a task: {@code train 1250/5000 25% [#####···············]
 * 81.3/s, 0:46 left, loss 0.0312}. A task whose steps cannot be counted shows the time it has taken
 * so far.
 *
 * <p>On a terminal the line is redrawn, at least once a second, and removed at the end. Elsewhere
 * it is written below the one before: first when a task has taken a second, then less and less
 * often, so that a log stays short. Any thread may report.
 */
final class Progress implements AutoCloseable {
  private static final int BAR = 20;
  private static final long SECOND = 1_000_000_000;
  private static final long REDRAW_NANOS = SECOND / 10;
  private static final long LONGEST_PAUSE = 60 * SECOND; // between lines of a log

  private final String task;
  private final long total; // 0: the steps cannot be counted
  private final Screen screen;
  private final LongSupplier clock;
  private final long opened;
  private long first = -1; // where this run began, which is not 0 if it continues an earlier one
  private long done;
  private String note = "";
  private long started;
  private long drawn;
  private long written; // lines of a log
  private int width; // of the line on the screen
  private boolean closed;

  Progress(String task, long total, Screen screen, LongSupplier clock) {
    this.task = task;
    this.total = total;
    this.screen = screen;
    this.clock = clock;
    opened = clock.getAsLong();
  }

  /** Returns a task of a command, on the command's screen. */
  static Progress of(CommandSpec spec, String task, long total) {
    Screen screen = PerflowCommand.of(spec).screen();
    Progress progress = new Progress(task, total, screen, System::nanoTime);
    if (screen.watched()) {
      Thread.ofVirtual().start(progress::tick);
    }
    return progress;
  }

  /** Returns a task whose steps cannot be counted. */
  static Progress of(CommandSpec spec, String task) {
    Progress progress = of(spec, task, 0);
    progress.at(0);
    return progress;
  }

  // Redraws the line, to show that a task is running even when it has nothing to report.
  private void tick() {
    try {
      while (!refresh()) {
        Thread.sleep(Duration.ofSeconds(1));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized boolean refresh() {
    if (!closed && clock.getAsLong() - opened >= SECOND) {
      begin(0);
      show();
    }
    return closed;
  }

  /**
   * Reports that {@code done} of the total are done; the first report says where the task began.
   */
  synchronized void at(long done) {
    at(done, "");
  }

  /** Reports progress with a note on the state. */
  synchronized void at(long done, String note) {
    this.done = done;
    this.note = note;
    if (!begin(done) && clock.getAsLong() - drawn < REDRAW_NANOS && done < total) {
      return;
    }
    show();
  }

  private boolean begin(long from) {
    boolean now = first < 0;
    if (now) {
      first = from;
      started = clock.getAsLong();
    }
    return now;
  }

  private void show() {
    long now = clock.getAsLong();
    drawn = now;
    if (screen.terminal()) {
      draw(line(true, (now - started) / 1e9));
    } else if (screen.watched() && now - opened >= due()) {
      written++;
      screen.writer().println("perflow: " + line(false, (now - started) / 1e9));
      screen.writer().flush();
    }
  }

  // after 1, 2, 4, …, 64 seconds, and from then on every minute
  private long due() {
    return (SECOND << Math.min(written, 6)) + Math.max(0, written - 6) * LONGEST_PAUSE;
  }

  private String line(boolean bar, double seconds) {
    String more = note.isEmpty() ? "" : ", " + note;
    if (total == 0) {
      return seconds < 1 ? task + " ..." : "%s ... %.0f s%s".formatted(task, seconds, more);
    }
    String head = "%s %d/%d %d%%".formatted(task, done, total, 100 * done / total);
    if (bar) {
      int filled = (int) (BAR * done / total);
      head += " [" + "#".repeat(filled) + "·".repeat(BAR - filled) + "]";
    }
    if (done == first || seconds <= 0) {
      // nothing tells how long the first step takes
      return head + (seconds < 1 ? "" : ", %.0f s".formatted(seconds)) + more;
    }
    double rate = (done - first) / seconds;
    long left = Math.round((total - done) / rate);
    return "%s %s/s, %s left%s".formatted(head, rate(rate), time(left), more);
  }

  /** Returns three digits of a rate. */
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
    PrintWriter terminal = screen.writer();
    terminal.print("\r" + line + " ".repeat(Math.max(0, width - line.length())));
    terminal.flush();
    width = line.length();
  }

  /** Removes the line from a terminal. The next report draws it again. */
  synchronized void clear() {
    if (screen.terminal() && width > 0) {
      draw("");
      screen.writer().print("\r");
      screen.writer().flush();
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    clear();
  }
}
