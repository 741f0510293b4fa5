package io.perflow.interop;

import io.perflow.physics.Scaling;
import io.perflow.tensor.Check;
import io.perflow.tensor.DataType;
import java.util.List;
import java.util.Map;

/**
 * The options for turning the arrays of a file into a data set.
 *
 * @param arrays the array of each quantity whose array has an unusual name: {@code p → pressure}
 * @param usual further names to look for by quantity, as in published files
 * @param samples the largest number of samples
 * @param stride the step n with which every n-th row and column is kept
 * @param transpose whether rows and columns of the file are exchanged, for instance for fields of
 *     Burgers over (space, time)
 * @param type the precision of the fields
 * @param scaling the choice of the units for networks
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

  /** Returns the default options: all samples, all points, in F32 with units of unit variance. */
  public static ImportOptions standard() {
    return new ImportOptions(
        Map.of(), Map.of(), Integer.MAX_VALUE, 1, false, DataType.F32, Scaling.UNIT);
  }

  /** Returns a copy for arrays with other names. */
  public ImportOptions arrays(Map<String, String> named) {
    return new ImportOptions(named, usual, samples, stride, transpose, type, scaling);
  }

  /** Returns a copy that also looks for arrays under the names of published files. */
  public ImportOptions usual(Map<String, List<String>> published) {
    return new ImportOptions(arrays, published, samples, stride, transpose, type, scaling);
  }

  /** Returns a copy with at most this number of samples. */
  public ImportOptions samples(int most) {
    return new ImportOptions(arrays, usual, most, stride, transpose, type, scaling);
  }

  /** Returns a copy that keeps every n-th row and column. */
  public ImportOptions stride(int step) {
    return new ImportOptions(arrays, usual, samples, step, transpose, type, scaling);
  }

  /** Returns a copy with rows and columns exchanged, or not. */
  public ImportOptions transpose(boolean exchange) {
    return new ImportOptions(arrays, usual, samples, stride, exchange, type, scaling);
  }

  /** Returns a copy with another precision. */
  public ImportOptions type(DataType precision) {
    return new ImportOptions(arrays, usual, samples, stride, transpose, precision, scaling);
  }

  /** Returns a copy with other units. */
  public ImportOptions scaling(Scaling units) {
    return new ImportOptions(arrays, usual, samples, stride, transpose, type, units);
  }
}
