package io.perflow.interop;

import io.perflow.tensor.io.FileFormatException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Some files that hold arrays with the same names, and the way in which these are joined: arrays of
 * coordinates that are the same in all files are kept once, others are stacked.
 */
final class FileGroup {
  /** A file and its arrays by their names. */
  record Described(Path file, Map<String, ArrayInfo> arrays) {}

  private final List<Described> files;
  private final List<SkippedArray> skipped;
  private final Map<String, List<Stack.Part>> parts = new LinkedHashMap<>();
  private final Set<String> shared = new LinkedHashSet<>();

  private FileGroup(List<Described> files, List<SkippedArray> skipped) {
    this.files = files;
    this.skipped = skipped;
  }

  /** Splits files into groups that have no name in common; each in natural order. */
  static List<List<Described>> split(List<Described> files) {
    List<List<Described>> groups = new ArrayList<>();
    for (Described file : files) {
      List<Described> merged = new ArrayList<>();
      for (List<Described> group : List.copyOf(groups)) {
        boolean alike =
            group.stream()
                .anyMatch(
                    other -> other.arrays().keySet().stream().anyMatch(file.arrays()::containsKey));
        if (alike) {
          groups.remove(group);
          merged.addAll(group);
        }
      }
      merged.add(file);
      groups.add(merged);
    }
    for (List<Described> group : groups) {
      group.sort(Comparator.comparing(Described::file, new NaturalOrder()));
    }
    return groups;
  }

  /**
   * Returns the arrays of a group; arrays that are not in all of its files are added to {@code
   * skipped}.
   */
  static List<Stack> stack(List<Described> files, Stacking stacking, List<SkippedArray> skipped)
      throws FileFormatException {
    if (files.size() == 1) {
      Described only = files.getFirst();
      return only.arrays().values().stream()
          .map(array -> Stack.single(new Stack.Part(only.file(), array)))
          .toList();
    }
    return new FileGroup(files, skipped).stack(stacking);
  }

  private List<Stack> stack(Stacking stacking) throws FileFormatException {
    gather();
    findShared();
    List<Integer> batches = stacking == Stacking.ONE_EACH ? null : batches(stacking);
    List<Stack> stacks = new ArrayList<>();
    for (Map.Entry<String, List<Stack.Part>> entry : parts.entrySet()) {
      List<Stack.Part> its = entry.getValue();
      if (shared.contains(entry.getKey())) {
        stacks.add(Stack.single(its.getFirst()));
      } else if (batches != null && firsts(its).equals(batches)) {
        stacks.add(Stack.batches(its));
      } else {
        stacks.add(Stack.samples(its)); // lacks the axis of the others, so there is one per file
      }
    }
    return stacks;
  }

  private void gather() {
    Set<String> names = new LinkedHashSet<>();
    files.forEach(file -> names.addAll(file.arrays().keySet()));
    for (String name : names) {
      List<Described> with = files.stream().filter(f -> f.arrays().containsKey(name)).toList();
      if (with.size() < files.size()) {
        Described without =
            files.stream().filter(f -> !f.arrays().containsKey(name)).findFirst().orElseThrow();
        skipped.add(
            new SkippedArray(
                with.getFirst().file(), name, "is not in all files, not in " + without.file()));
      } else {
        parts.put(
            name, files.stream().map(f -> new Stack.Part(f.file(), f.arrays().get(name))).toList());
      }
    }
  }

  // ---- coordinates

  private void findShared() {
    for (String name : parts.keySet()) {
      List<Optional<Coordinates>> each =
          files.stream().map(file -> coordinates(file, name)).toList();
      boolean same =
          each.stream()
              .allMatch(c -> c.isPresent() && c.get().sameValues(each.getFirst().orElseThrow()));
      if (same) {
        shared.add(name);
      }
    }
  }

  /**
   * Returns the numbers of an array, if it holds or may hold coordinates of another one in its
   * file.
   */
  private static Optional<Coordinates> coordinates(Described file, String name) {
    return file.arrays().values().stream()
        .filter(array -> !array.name().equals(name))
        .flatMap(array -> array.dimensions().stream())
        .flatMap(
            d ->
                d.coordinates().isPresent()
                    ? d.coordinates().stream()
                    : d.candidates().stream().filter(c -> Candidates.isUsual(c.array())))
        .filter(c -> c.array().equals(name))
        .findFirst();
  }

  // ---- one sample or a batch

  /**
   * Returns the number of samples in each file; null if each holds one sample without an axis for
   * samples.
   */
  private List<Integer> batches(Stacking stacking) {
    List<List<Stack.Part>> fields =
        parts.entrySet().stream()
            .filter(entry -> !shared.contains(entry.getKey()))
            .map(Map.Entry::getValue)
            .filter(its -> its.stream().allMatch(part -> part.info().rank() > 0))
            .toList();
    for (List<Stack.Part> its : fields) {
      if (firsts(its).stream().distinct().count() > 1) {
        return firsts(its);
      }
    }
    Optional<List<Stack.Part>> main =
        fields.stream()
            .reduce((a, b) -> b.getFirst().info().rank() > a.getFirst().info().rank() ? b : a);
    if (main.isEmpty()) {
      return null;
    }
    boolean batch =
        stacking == Stacking.BATCHES
            || byCoordinates(fields)
                .orElseGet(() -> byName(fields) || byExtentOne(fields) || byLength(main.get()));
    return batch ? firsts(main.get()) : null;
  }

  private static List<Integer> firsts(List<Stack.Part> its) {
    return its.stream().map(Stack.Part::first).toList();
  }

  // Coordinates of the first axis that are the same in all files belong to a field.
  private Optional<Boolean> byCoordinates(List<List<Stack.Part>> fields) {
    for (List<Stack.Part> its : fields) {
      ArrayInfo array = its.getFirst().info();
      DimensionInfo first = array.dimensions().getFirst();
      long alike = array.dimensions().stream().filter(d -> d.size() == first.size()).count();
      boolean stated = first.coordinates().isPresent();
      // x and y say nothing about the first of three axes of one length.
      if (stated || first.candidates().size() >= alike) {
        String name = first.likely().map(Coordinates::array).orElse(null);
        if (parts.containsKey(name)) {
          return Optional.of(!shared.contains(name));
        }
      }
    }
    return Optional.empty();
  }

  private static boolean byName(List<List<Stack.Part>> fields) {
    return fields.stream()
        .map(its -> its.getFirst().info().dimensions().getFirst().name())
        .anyMatch(Meaning.SAMPLES::isOf);
  }

  private static boolean byExtentOne(List<List<Stack.Part>> fields) {
    return fields.stream()
        .map(its -> its.getFirst())
        .allMatch(part -> part.info().rank() > 1 && part.first() == 1);
  }

  // There are more samples than there are times or channels.
  private boolean byLength(List<Stack.Part> main) {
    List<Integer> shape = main.getFirst().info().shape();
    return shape.size() > 2
        && shape.getFirst() > files.size()
        && !shape.getFirst().equals(shape.get(1));
  }
}
