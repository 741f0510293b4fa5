package io.perflow.interop;

import io.perflow.tensor.DataType;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The description of an array in files, without its numbers.
 *
 * @param name its name; in HDF5 its path without the first slash, as {@code run1/fields/T}
 * @param type the type of the tensor that it becomes
 * @param dimensions the dimensions from the slowest to the fastest, as users of the tool that wrote
 *     it count them
 * @param unit the unit of its numbers, if stated
 * @param longName its description in words, if stated
 */
public record ArrayInfo(
    String name,
    DataType type,
    List<DimensionInfo> dimensions,
    Optional<String> unit,
    Optional<String> longName) {
  /** Copies the list. */
  public ArrayInfo {
    dimensions = List.copyOf(dimensions);
  }

  static ArrayInfo plain(String name, DataType type, int... shape) {
    return new ArrayInfo(
        name,
        type,
        Arrays.stream(shape).mapToObj(DimensionInfo::unnamed).toList(),
        Optional.empty(),
        Optional.empty());
  }

  ArrayInfo name(String other) {
    return new ArrayInfo(other, type, dimensions, unit, longName);
  }

  ArrayInfo dimensions(List<DimensionInfo> others) {
    return new ArrayInfo(name, type, others, unit, longName);
  }

  /** Returns the extents. */
  public List<Integer> shape() {
    return dimensions.stream().map(DimensionInfo::size).toList();
  }

  /** Returns the number of dimensions; none for a single number. */
  public int rank() {
    return dimensions.size();
  }

  /** Returns the number of its elements, which may be more than one tensor can hold. */
  public long size() {
    return dimensions.stream().mapToLong(DimensionInfo::size).reduce(1, Math::multiplyExact);
  }

  /** Returns {@code T [12, 3, 4] F32 in K}. */
  @Override
  public String toString() {
    return name + " " + shape() + " " + type + unit.map(text -> " in " + text).orElse("");
  }
}
