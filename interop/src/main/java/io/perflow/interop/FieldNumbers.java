package io.perflow.interop;

import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import java.util.BitSet;
import java.util.List;

/** The check that all numbers of fields are finite. */
final class FieldNumbers {
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
    for (int i = 0; i < samples; i++) {
      double[] sample = fields.select(0, i).toDoubles();
      for (int at = 0; at < sample.length; at++) {
        if (!Double.isFinite(sample[at])) {
          (Double.isNaN(sample[at]) ? missing : infinite).set(i);
          where = where.isEmpty() ? array(at, sample.length) : where;
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

  private static String have(int some, int all) {
    return some == all
        ? "all %d samples have".formatted(all)
        : "%d of %d samples %s".formatted(some, all, some == 1 ? "has" : "have");
  }

  private String array(int at, int size) {
    return quantities.get((int) ((long) at * quantities.size() / size)).source().array().name();
  }

  private FileFormatException error(String array, String problem, Object... args) {
    return new FileFormatException(file, array, problem.formatted(args));
  }
}
