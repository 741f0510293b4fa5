package io.perflow.interop;

import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * An array that is joined from arrays with the same name in one or several files.
 *
 * @param info the description of the whole
 * @param parts its parts in their order
 * @param newAxis whether each part is one entry of a new first axis; otherwise parts are joined
 *     along their first axis
 */
record Stack(ArrayInfo info, List<Part> parts, boolean newAxis) {
  /** The array of one file. */
  record Part(Path file, ArrayInfo info) {
    int first() {
      return info.rank() == 0 ? 1 : info.dimensions().getFirst().size();
    }
  }

  /** A loader of some entries of an array of a file along its first axis. */
  interface Loader {
    Tensor load(Path file, String name, int first, int count) throws IOException;
  }

  static Stack single(Part part) {
    return new Stack(part.info(), List.of(part), false);
  }

  /** Returns a stack of parts that are one sample each, with a new first axis. */
  static Stack samples(List<Part> parts) throws FileFormatException {
    check(parts, 0);
    List<DimensionInfo> dimensions = new ArrayList<>();
    dimensions.add(DimensionInfo.named(DimensionInfo.SAMPLE, parts.size()));
    dimensions.addAll(parts.getFirst().info().dimensions());
    return new Stack(whole(parts, dimensions), parts, true);
  }

  /** Returns a stack of parts that are batches, joined along their first axis. */
  static Stack batches(List<Part> parts) throws FileFormatException {
    check(parts, 1);
    ArrayInfo first = parts.getFirst().info();
    long samples = parts.stream().mapToLong(Part::first).sum();
    if (samples > Integer.MAX_VALUE) {
      throw error(parts.getFirst(), "all files together have " + samples + " samples");
    }
    List<DimensionInfo> dimensions = new ArrayList<>(first.dimensions());
    dimensions.set(
        0,
        new DimensionInfo(
            first.dimensions().getFirst().name(), (int) samples, joined(parts), List.of()));
    return new Stack(whole(parts, dimensions), parts, false);
  }

  private static ArrayInfo whole(List<Part> parts, List<DimensionInfo> dimensions) {
    ArrayInfo first = parts.getFirst().info();
    return new ArrayInfo(
        first.name(),
        parts.stream().map(part -> part.info().type()).max(Comparable::compareTo).orElseThrow(),
        dimensions,
        first.unit(),
        first.longName());
  }

  // Stated coordinates of the joined axis continue from file to file.
  private static Optional<Coordinates> joined(List<Part> parts) {
    List<Optional<Coordinates>> each =
        parts.stream().map(part -> part.info().dimensions().getFirst().coordinates()).toList();
    if (!each.stream().allMatch(Optional::isPresent)) {
      return Optional.empty();
    }
    Coordinates first = each.getFirst().orElseThrow();
    double[] values =
        each.stream()
            .map(Optional::orElseThrow)
            .map(Coordinates::values)
            .flatMapToDouble(Arrays::stream)
            .toArray();
    return Optional.of(new Coordinates(first.array(), first.unit(), values));
  }

  private static void check(List<Part> parts, int fromAxis) throws FileFormatException {
    Part first = parts.getFirst();
    for (Part part : parts) {
      List<Integer> shape = part.info().shape();
      List<Integer> wanted = first.info().shape();
      if (shape.size() != wanted.size()
          || !shape
              .subList(Math.min(fromAxis, shape.size()), shape.size())
              .equals(wanted.subList(Math.min(fromAxis, shape.size()), shape.size()))) {
        throw error(
            part,
            "shape %s does not go with shape %s in %s".formatted(shape, wanted, first.file()));
      }
      if (!part.info().unit().equals(first.info().unit())) {
        throw error(
            part,
            "its unit is %s, in %s it is %s"
                .formatted(
                    part.info().unit().orElse("not stated"),
                    first.file(),
                    first.info().unit().orElse("not stated")));
      }
    }
  }

  private static FileFormatException error(Part part, String problem) {
    return new FileFormatException(part.file().toString(), part.info().name(), problem);
  }

  /** Loads everything. */
  Tensor load(Loader loader) throws IOException {
    return info.rank() == 0
        ? loader.load(parts.getFirst().file(), info.name(), 0, 1)
        : load(loader, 0, info.dimensions().getFirst().size());
  }

  /** Loads some entries along the first axis. */
  Tensor load(Loader loader, int first, int count) throws IOException {
    long size = Math.multiplyExact(info.size() / info.dimensions().getFirst().size(), count);
    if (size > Integer.MAX_VALUE - 8) {
      throw error(
          parts.getFirst(),
          "%d samples have %d numbers, more than a tensor holds; load fewer"
              .formatted(count, size));
    }
    List<Tensor> loaded = new ArrayList<>();
    int from = 0; // the first entry of a part
    for (Part part : parts) {
      int entries = newAxis ? 1 : part.first();
      int begin = Math.max(first, from);
      int end = Math.min(first + count, from + entries);
      if (begin < end) {
        Tensor piece =
            newAxis
                ? loader.load(part.file(), info.name(), 0, part.first()).unsqueeze(0)
                : loader.load(part.file(), info.name(), begin - from, end - begin);
        loaded.add(piece.to(info.type()));
      }
      from += entries;
    }
    return loaded.size() == 1 ? loaded.getFirst() : Tensor.concat(0, loaded.toArray(Tensor[]::new));
  }
}
