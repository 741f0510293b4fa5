package io.perflow.cli;

import io.perflow.Perflow;
import io.perflow.tensor.Device;
import io.perflow.tensor.Settings;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/**
 * The report of {@code --verbose} on standard error: machine, messages of the library, and cost.
 */
final class Verbose implements AutoCloseable {
  // Kept here, because the log manager holds loggers weakly.
  private static final Logger LIBRARY = Logger.getLogger("io.perflow");

  private final PrintWriter err;
  private final long start = System.nanoTime();
  private final Handler handler;

  private Verbose(PrintWriter err) {
    this.err = err;
    handler = handler();
  }

  /** Begins the report. */
  static Verbose begin(PrintWriter err) {
    Verbose verbose = new Verbose(err);
    LIBRARY.addHandler(verbose.handler);
    LIBRARY.setUseParentHandlers(false);
    LIBRARY.setLevel(Level.FINE);
    verbose.say(
        "version %s on Java %s, %d MB heap at most, %s",
        Perflow.version(),
        Runtime.version(),
        Runtime.getRuntime().maxMemory() >> 20,
        Counted.of(Settings.threads(), "thread"));
    verbose.say("cpu: %s", Device.cpu().backend().describe());
    return verbose;
  }

  private Handler handler() {
    return new Handler() {
      @Override
      public void publish(LogRecord record) {
        say("%s", new SimpleFormatter().formatMessage(record));
      }

      @Override
      public void flush() {
        err.flush();
      }

      @Override
      public void close() {
        flush();
      }
    };
  }

  private void say(String format, Object... values) {
    err.println("perflow: " + format.formatted(values));
  }

  @Override
  public void close() {
    LIBRARY.removeHandler(handler);
    LIBRARY.setUseParentHandlers(true);
    LIBRARY.setLevel(null);
    // Memory pools have their peaks at different times, so this is an upper bound.
    long peak =
        ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .map(MemoryPoolMXBean::getPeakUsage)
            .mapToLong(usage -> usage.getUsed() >> 20)
            .sum();
    say("took %.1f s and at most %d MB of heap", (System.nanoTime() - start) * 1e-9, peak);
  }
}
