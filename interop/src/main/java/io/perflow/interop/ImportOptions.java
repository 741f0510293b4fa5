package io.perflow.interop;

import io.perflow.physics.Scaling;
import io.perflow.tensor.Check;
import io.perflow.tensor.DataType;
import java.util.List;
import java.util.Map;

/**
 * How the arrays of a file become a data set.
 *
 * @param arrays the array of each quantity whose array has an unusual name: {@code p → pressure}
 * @param usual further names to look for by quantity: those of published files
 * @param samples largest number of samples
 * @param stride keep every n-th row and column
 * @param transpose whether rows and columns of the file are exchanged, for instance for fields of
 *     Burgers over (space, time)
 * @param type precision of the fields
 * @param scaling how the units for networks are chosen
 */
public record ImportOptions(
    Map<String, String> arrays,
    Map<String, List<String>> usual,
    int samples,
    int stride,
    boolean transpose,
    DataType type,
    Scaling scaling) {

  public ImportOptions {
    arrays = Map.copyOf(arrays);
    usual = Map.copyOf(usual);
    Check.that(samples > 0, "import", "%d samples: ask for at least 1", samples);
    Check.that(stride > 0, "import", "a stride of %d: it must be at least 1", stride);
  }

  /** Returns all samples, all points, in F32 with units of unit variance. */
  public static ImportOptions standard() {
    return new ImportOptions(
        Map.of(), Map.of(), Integer.MAX_VALUE, 1, false, DataType.F32, Scaling.UNIT);
  }

  /** Returns the same for arrays with other names. */
  public ImportOptions arrays(Map<String, String> named) {
    return new ImportOptions(named, usual, samples, stride, transpose, type, scaling);
  }

  /** Returns the same that also looks for arrays under the names of published files. */
  public ImportOptions usual(Map<String, List<String>> published) {
    return new ImportOptions(arrays, published, samples, stride, transpose, type, scaling);
  }

  /** Returns the same with at most this number of samples. */
  public ImportOptions samples(int most) {
    return new ImportOptions(arrays, usual, most, stride, transpose, type, scaling);
  }

  /** Returns the same with every n-th row and column kept. */
  public ImportOptions stride(int step) {
    return new ImportOptions(arrays, usual, samples, step, transpose, type, scaling);
  }

  /** Returns the same with rows and columns exchanged, or not. */
  public ImportOptions transpose(boolean exchange) {
    return new ImportOptions(arrays, usual, samples, stride, exchange, type, scaling);
  }

  /** Returns the same in another precision. */
  public ImportOptions type(DataType precision) {
    return new ImportOptions(arrays, usual, samples, stride, transpose, precision, scaling);
  }

  /** Returns the same with other units. */
  public ImportOptions scaling(Scaling units) {
    return new ImportOptions(arrays, usual, samples, stride, transpose, type, units);
  }
}
