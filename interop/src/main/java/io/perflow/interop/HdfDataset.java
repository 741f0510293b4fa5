package io.perflow.interop;

import io.jhdf.api.Attribute;
import io.jhdf.api.Dataset;
import io.jhdf.object.datatype.CompoundDataType;
import io.jhdf.object.datatype.EnumDataType;
import io.jhdf.object.datatype.FixedPoint;
import io.jhdf.object.datatype.FloatingPoint;
import io.jhdf.object.datatype.Reference;
import io.jhdf.object.datatype.StringData;
import io.jhdf.object.datatype.VariableLength;
import io.perflow.tensor.DataType;
import java.lang.reflect.Array;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * One data set of an HDF5 file and the meaning of its attributes, by the conventions of HDF5's
 * dimension scales, of NetCDF-4 and of MATLAB 7.3.
 */
final class HdfDataset {
  /** The attributes that are used here; others are not decoded. */
  private static final Set<String> KNOWN =
      Set.of(
          "CLASS",
          "NAME",
          "DIMENSION_LIST",
          "DIMENSION_LABELS",
          "units",
          "unit",
          "long_name",
          "standard_name",
          "_FillValue",
          "missing_value",
          "scale_factor",
          "add_offset",
          "MATLAB_class",
          "MATLAB_empty");

  /** NetCDF-4's name of an array that represents a dimension without coordinates. */
  private static final String NO_VARIABLE = "This is a netCDF dimension but not a netCDF variable";

  private final Dataset dataset;
  private final Map<String, Object> attributes = new HashMap<>();
  private final Optional<String> obstacle;
  private final Packing packing;

  private HdfDataset(Dataset dataset, boolean netcdf) {
    this.dataset = dataset;
    for (Map.Entry<String, Attribute> entry : dataset.getAttributes().entrySet()) {
      if (KNOWN.contains(entry.getKey()) && !entry.getValue().isEmpty()) {
        attributes.put(entry.getKey(), entry.getValue().getData());
      }
    }
    this.obstacle = findObstacle();
    boolean fill = netcdf && dataset.getDataType() instanceof FloatingPoint;
    this.packing =
        obstacle.isPresent()
            ? Packing.none(DataType.F64)
            : Packing.of(
                this::numbers, target(), fill ? new double[] {Packing.UNWRITTEN} : new double[0]);
  }

  /**
   * Examines a data set.
   *
   * @param netcdf whether the default fill values of the NetCDF library mean missing numbers
   */
  static HdfDataset of(Dataset dataset, boolean netcdf) {
    return new HdfDataset(dataset, netcdf);
  }

  Dataset dataset() {
    return dataset;
  }

  long address() {
    return dataset.getAddress();
  }

  /** Returns the reason why it is not an array of numbers; empty if it is one. */
  Optional<String> obstacle() {
    return obstacle;
  }

  private Optional<String> findObstacle() {
    String matlab = text("MATLAB_class").orElse("double");
    String reason =
        switch (dataset.getDataType()) {
          case CompoundDataType compound -> compound(compound);
          case StringData _ -> "texts";
          case EnumDataType _ -> "names of values (so h5py saves booleans); save integers";
          case Reference _ -> "references to other things, as MATLAB saves cells";
          case VariableLength _ -> "texts or lists of differing length";
          case FixedPoint number when number.getSize() > 8 -> "integers of more than 8 bytes";
          case FloatingPoint number when number.getSize() > 8 -> "numbers of more than 8 bytes";
          case FixedPoint _, FloatingPoint _ -> null;
          default -> "of a type that is not a number";
        };
    if (reason == null && matlab.equals("char")) {
      reason = "text";
    } else if (reason == null && attributes.containsKey("MATLAB_empty") || dataset.isEmpty()) {
      reason = "holds no numbers";
    }
    return Optional.ofNullable(reason);
  }

  private static String compound(CompoundDataType compound) {
    List<String> members =
        compound.getMembers().stream().map(CompoundDataType.CompoundDataMember::getName).toList();
    boolean complex = members.equals(List.of("r", "i")) || members.equals(List.of("real", "imag"));
    return complex
        ? "complex numbers; save the real and the imaginary part apart"
        : "structures of " + String.join(", ", members) + "; save each as an array";
  }

  // The narrowest type that holds every value.
  private DataType target() {
    int bytes = dataset.getDataType().getSize();
    boolean narrow = dataset.getDataType() instanceof FixedPoint ? bytes <= 2 : bytes <= 4;
    return narrow ? DataType.F32 : DataType.F64;
  }

  Packing packing() {
    return packing;
  }

  boolean isMatlab() {
    return attributes.containsKey("MATLAB_class");
  }

  /** Returns the extents in the user's order. */
  int[] shape() {
    int[] stored = dataset.getDimensions();
    return isMatlab() ? Axes.reversed(stored) : stored;
  }

  Optional<String> unit() {
    return text("units").or(() -> text("unit"));
  }

  Optional<String> longName() {
    return text("long_name").or(() -> text("standard_name"));
  }

  // ---- dimension scales

  /** Returns whether other arrays can refer to it as one of their dimensions. */
  boolean isScale() {
    return text("CLASS").filter("DIMENSION_SCALE"::equals).isPresent();
  }

  /** Returns whether it represents a dimension and holds no numbers of interest. */
  boolean isNameOfDimension() {
    return isScale() && text("NAME").filter(name -> name.startsWith(NO_VARIABLE)).isPresent();
  }

  /** Returns the name of the dimension that it stands for. */
  String scaleName() {
    return isNameOfDimension() ? dataset.getName() : text("NAME").orElse(dataset.getName());
  }

  /** Returns the address of the array that stands for an axis; that of a scale is its own. */
  Optional<Long> scale(int axis) {
    if (isScale() && axis == 0) {
      return Optional.of(address());
    }
    Object lists = attributes.get("DIMENSION_LIST");
    if (isMatlab() || lists == null || !lists.getClass().isArray()) {
      return Optional.empty();
    }
    if (axis >= Array.getLength(lists)) {
      return Optional.empty();
    }
    Object references = Array.get(lists, axis);
    if (references == null || !references.getClass().isArray()) {
      return Optional.empty();
    }
    return Array.getLength(references) > 0 && Array.get(references, 0) instanceof Number address
        ? Optional.of(address.longValue())
        : Optional.empty();
  }

  /** Returns the label of an axis, HDF5's alternative to dimension scales. */
  Optional<String> label(int axis) {
    return attributes.get("DIMENSION_LABELS") instanceof String[] labels
            && axis < labels.length
            && labels[axis] != null
            && !labels[axis].isBlank()
        ? Optional.of(labels[axis])
        : Optional.empty();
  }

  // ---- attributes

  private Optional<String> text(String name) {
    Object value = attributes.get(name);
    if (value instanceof String[] texts && texts.length > 0) {
      value = texts[0];
    }
    return value instanceof String text && !text.isBlank()
        ? Optional.of(text.strip())
        : Optional.empty();
  }

  private double[] numbers(String name) {
    Object value = attributes.get(name);
    if (value instanceof Number number) {
      return new double[] {number.doubleValue()};
    }
    if (value == null || !value.getClass().isArray()) {
      return new double[0];
    }
    double[] numbers = new double[Array.getLength(value)];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = Array.get(value, i) instanceof Number number ? number.doubleValue() : Double.NaN;
    }
    return numbers;
  }
}
