package io.perflow.interop;

import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import java.util.BitSet;
import java.util.List;

/** Ensures that all numbers of fields are finite, and notes those that may mark missing ones. */
final class FieldNumbers {
  /** Distance from all other numbers, as a multiple of their range, that makes one suspicious. */
  private static final double FAR = 10;

  private final String file;
  private final List<FieldNames.Named> quantities;
  private final List<String> notes;

  FieldNumbers(String file, List<FieldNames.Named> quantities, List<String> notes) {
    this.file = file;
    this.quantities = quantities;
    this.notes = notes;
  }

  /**
   * Returns fields [samples, channels, height, width] without missing numbers.
   *
   * @throws FileFormatException when there are infinite numbers, or missing ones that may not be
   *     dropped
   */
  Tensor sound(Tensor fields, FinderOptions options) throws FileFormatException {
    int samples = fields.dim(0);
    BitSet missing = new BitSet();
    BitSet infinite = new BitSet();
    String where = "";
    List<Lowest> lowest = quantities.stream().map(_ -> new Lowest()).toList();
    List<Lowest> highest = quantities.stream().map(_ -> new Lowest()).toList(); // negative
    for (int i = 0; i < samples; i++) {
      double[] sample = fields.select(0, i).toDoubles();
      for (int at = 0; at < sample.length; at++) {
        if (!Double.isFinite(sample[at])) {
          (Double.isNaN(sample[at]) ? missing : infinite).set(i);
          where = where.isEmpty() ? array(at, sample.length) : where;
        } else {
          lowest.get(quantity(at, sample.length)).add(sample[at]);
          highest.get(quantity(at, sample.length)).add(-sample[at]);
        }
      }
    }
    if (!infinite.isEmpty()) {
      throw error(
          where,
          "%s infinite numbers, or numbers too large for %s; repair the data",
          have(infinite.cardinality(), samples),
          options.type());
    }
    noteMarks(lowest, highest);
    if (missing.isEmpty()) {
      return fields;
    }
    int sound = samples - missing.cardinality();
    if (sound == 0) {
      throw error(
          where,
          "%s missing numbers; fill them, for instance by interpolation, before init",
          have(samples, samples));
    }
    if (!options.dropMissing()) {
      throw error(
          where,
          "%s missing numbers; leave these samples out with --drop-missing, or repair the data",
          have(missing.cardinality(), samples));
    }
    notes.add(
        "%d of %d samples have missing numbers and were left out, as --drop-missing says."
            .formatted(missing.cardinality(), samples));
    BitSet kept = new BitSet();
    kept.set(0, samples);
    kept.andNot(missing);
    return fields.gather(0, kept.stream().toArray());
  }

  /** The lowest of some numbers, how often it occurs, and the next one. */
  private static final class Lowest {
    double least = Double.POSITIVE_INFINITY;
    double next = Double.POSITIVE_INFINITY;
    long times;

    void add(double number) {
      if (number < least) {
        next = least;
        least = number;
        times = 1;
      } else if (number == least) {
        times++;
      } else {
        next = Math.min(next, number);
      }
    }

    /** Whether it is repeated and far below all others, which reach up to {@code greatest}. */
    boolean isMark(double greatest) {
      return times > 1 && greatest > next && next - least > FAR * (greatest - next);
    }
  }

  private void noteMarks(List<Lowest> lowest, List<Lowest> highest) {
    for (int i = 0; i < quantities.size(); i++) {
      Lowest low = lowest.get(i);
      Lowest high = highest.get(i);
      if (low.isMark(-high.least)) {
        noteMark(i, low.least, low.times, low.next, -high.least);
      }
      if (high.isMark(-low.least)) {
        noteMark(i, -high.least, high.times, low.least, -high.next);
      }
    }
  }

  private void noteMark(int quantity, double mark, long times, double from, double to) {
    notes.add(
        ("%s is %s at %d points and from %s to %s at all others; if this number marks missing"
                + " values, write NaN in its place.")
            .formatted(
                quantities.get(quantity).name(),
                Legal.text(mark),
                times,
                Legal.text(from),
                Legal.text(to)));
  }

  private static String have(int some, int all) {
    return some == all
        ? "all %d samples have".formatted(all)
        : "%d of %d samples %s".formatted(some, all, some == 1 ? "has" : "have");
  }

  private int quantity(int at, int size) {
    return (int) ((long) at * quantities.size() / size);
  }

  private String array(int at, int size) {
    return quantities.get(quantity(at, size)).source().array().name();
  }

  private FileFormatException error(String array, String problem, Object... args) {
    return new FileFormatException(file, array, problem.formatted(args));
  }
}
