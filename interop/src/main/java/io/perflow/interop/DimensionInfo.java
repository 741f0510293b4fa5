package io.perflow.interop;

import java.util.List;
import java.util.Optional;

/**
 * One dimension of an array in a file.
 *
 * @param name its name, if the file states it; {@value #SAMPLE} for the one that counts files
 * @param size its extent
 * @param coordinates the places or times along it, if the file states which array holds them
 * @param candidates without such a statement, the arrays of the same file that may hold them,
 *     because they have one number for each entry and increase or decrease throughout; the
 *     likeliest first
 */
public record DimensionInfo(
    Optional<String> name,
    int size,
    Optional<Coordinates> coordinates,
    List<Coordinates> candidates) {
  /** The name of the new dimension when each of several files holds one sample. */
  public static final String SAMPLE = "sample";

  /** Copies the list. */
  public DimensionInfo {
    candidates = List.copyOf(candidates);
  }

  static DimensionInfo unnamed(int size) {
    return new DimensionInfo(Optional.empty(), size, Optional.empty(), List.of());
  }

  static DimensionInfo named(String name, int size) {
    return new DimensionInfo(Optional.of(name), size, Optional.empty(), List.of());
  }

  DimensionInfo candidates(List<Coordinates> others) {
    return new DimensionInfo(name, size, coordinates, others);
  }

  /** Returns the coordinates that the file states, otherwise the first candidate. */
  public Optional<Coordinates> likely() {
    return coordinates.or(() -> candidates.stream().findFirst());
  }

  /** Returns the unit of the coordinates that the file states. */
  public Optional<String> unit() {
    return coordinates.flatMap(Coordinates::unit);
  }
}
