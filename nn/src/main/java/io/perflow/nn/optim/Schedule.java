package io.perflow.nn.optim;

/**
 * The learning rate as a function of the step, counted from 0. To write your own schedule,
 * implement this function.
 */
@FunctionalInterface
public interface Schedule {
  /** Returns the learning rate of a step. */
  double rate(long step);

  /** Returns the same rate throughout. */
  static Schedule constant(double rate) {
    return new Constant(rate);
  }

  /** Returns {@code rate}, multiplied by {@code factor} after every {@code every} steps. */
  static Schedule steps(double rate, double factor, long every) {
    return new Steps(rate, factor, every);
  }

  /**
   * Returns a rate that rises linearly over {@code warmup} steps, then falls along half a cosine
   * from {@code rate} to {@code last}, which it reaches at {@code total} steps and keeps.
   */
  static Schedule warmupCosine(double rate, double last, long warmup, long total) {
    return new WarmupCosine(rate, last, warmup, total);
  }

  /** The schedule of {@link Schedule#constant}. */
  record Constant(double rate) implements Schedule {
    @Override
    public double rate(long step) {
      return rate;
    }
  }

  /** The schedule of {@link Schedule#steps}. */
  record Steps(double rate, double factor, long every) implements Schedule {
    /** Refuses a period below 1. */
    public Steps {
      if (every < 1) {
        throw new IllegalArgumentException(
            "[schedule] every %d must be at least 1".formatted(every));
      }
    }

    @Override
    public double rate(long step) {
      return rate * Math.pow(factor, step / every);
    }
  }

  /** The schedule of {@link Schedule#warmupCosine}. */
  record WarmupCosine(double rate, double last, long warmup, long total) implements Schedule {
    /** Refuses a warm-up that does not end before the total. */
    public WarmupCosine {
      if (warmup < 0 || total <= warmup) {
        throw new IllegalArgumentException(
            "[schedule] warm-up %d must lie between 0 and the total %d".formatted(warmup, total));
      }
    }

    @Override
    public double rate(long step) {
      if (step < warmup) {
        return rate * (step + 1) / warmup;
      }
      double part = Math.min(1, (double) (step - warmup) / (total - warmup));
      return last + (rate - last) * 0.5 * (1 + Math.cos(Math.PI * part));
    }
  }
}
