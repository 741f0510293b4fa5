package io.perflow.interop;

import io.perflow.tensor.DataType;
import java.util.Arrays;
import java.util.function.Function;
import java.util.stream.DoubleStream;

/**
 * The unpacking of numbers by the conventions of NetCDF: {@code _FillValue} and {@code
 * missing_value} mean missing numbers, which become NaN; all others are multiplied by {@code
 * scale_factor}, and then {@code add_offset} is added.
 */
final class Packing {
  /** The values that the NetCDF library writes where a program wrote nothing. */
  static final double UNWRITTEN = 9.969209968386869e36;

  private final double[] missing;
  private final double scale;
  private final double offset;
  private final DataType type;

  private Packing(double[] missing, double scale, double offset, DataType type) {
    this.missing = missing;
    this.scale = scale;
    this.offset = offset;
    this.type = type;
  }

  /** Returns the packing of numbers that are not packed. */
  static Packing none(DataType type) {
    return new Packing(new double[0], 1, 0, type);
  }

  /**
   * Returns the packing that the attributes of an array describe.
   *
   * @param attribute returns the numbers of an attribute, empty if there is none with this name
   * @param stored the type that holds the stored numbers
   * @param further the numbers that mean missing ones, besides those of the attributes
   */
  static Packing of(Function<String, double[]> attribute, DataType stored, double... further) {
    double[] scale = attribute.apply("scale_factor");
    double[] offset = attribute.apply("add_offset");
    // F32 only where the factors are F32 too: a double factor demands products in double.
    boolean wide =
        DoubleStream.concat(Arrays.stream(scale), Arrays.stream(offset))
            .anyMatch(number -> (float) number != number);
    DoubleStream missing =
        DoubleStream.concat(
            Arrays.stream(attribute.apply("_FillValue")),
            Arrays.stream(attribute.apply("missing_value")));
    return new Packing(
        DoubleStream.concat(missing, Arrays.stream(further)).toArray(),
        scale.length > 0 ? scale[0] : 1,
        offset.length > 0 ? offset[0] : 0,
        wide ? DataType.F64 : stored);
  }

  /** Returns the type that holds the unpacked numbers. */
  DataType type() {
    return type;
  }

  double unpack(double stored) {
    for (double none : missing) {
      // The second test: an attribute in double may be the decimal of an F32.
      if (stored == none || type == DataType.F32 && stored == (float) none) {
        return Double.NaN;
      }
    }
    return stored * scale + offset;
  }
}
