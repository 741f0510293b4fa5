package io.perflow.interop;

import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The meaning of the dimensions of arrays of fields.
 *
 * @param samples the dimension that counts the fields
 * @param channels the dimension that counts quantities, if they are in one array
 * @param frames the dimension that counts the frames of a field, if it is a sequence
 * @param rows the first axis of the grid
 * @param columns the second axis of the grid
 * @param single the dimensions of extent 1 without a meaning
 */
record FieldLayout(
    Dimension samples,
    Optional<Dimension> channels,
    Optional<Dimension> frames,
    Dimension rows,
    Dimension columns,
    List<Dimension> single) {
  /** The largest extent of an unnamed dimension that is interpreted as channels. */
  private static final int FEW = 4;

  static FieldLayout of(String file, ArrayInfo array, FinderOptions options, List<String> notes)
      throws FileFormatException {
    List<Dimension> all = Dimension.of(array, options.dims(), notes);
    Dimension samples = samples(array, all, options, notes);
    List<Dimension> rest = new ArrayList<>(all);
    rest.remove(samples);
    List<Dimension> single = new ArrayList<>();
    for (int i = rest.size() - 1; i >= 0 && rest.size() > 2; i--) {
      if (rest.get(i).size() == 1) {
        single.add(rest.remove(i));
      }
    }
    Optional<Dimension> channels = channels(array, rest, notes);
    channels.ifPresent(rest::remove);
    Optional<Dimension> frames = Optional.empty();
    if (rest.size() == 3) {
      frames = Optional.of(frames(array, rest, options.time(), notes));
      rest.remove(frames.get());
    }
    if (rest.size() != 2) {
      throw new FileFormatException(
          file,
          array.name(),
          ("its shape %s leaves %d dimensions for a grid of two axes besides samples, channels and"
                  + " frames; say what they are, as --dims sample,time,y,x does")
              .formatted(array.shape(), rest.size()));
    }
    return new FieldLayout(samples, channels, frames, rest.get(0), rest.get(1), single);
  }

  private static Dimension samples(
      ArrayInfo array, List<Dimension> all, FinderOptions options, List<String> notes) {
    for (Dimension dimension : all) {
      if (dimension.is(Meaning.SAMPLES)) {
        return dimension;
      }
    }
    Dimension first = all.getFirst();
    List<Dimension> open = all.stream().filter(d -> d.name().isEmpty()).toList();
    if (first.is(Meaning.SPACE) && open.size() == 1) {
      notes.add(
          ("%s has coordinates for all dimensions but number %d of %s, which is taken to count"
                  + " the samples; --dims says otherwise.")
              .formatted(array.name(), open.getFirst().index() + 1, array.shape()));
      return open.getFirst();
    }
    if (first.name().isPresent()) {
      String name = first.name().get();
      if (name.equals(options.time())) {
        throw new IllegalArgumentException(
            ("--time %s: this dimension of %s counts the samples, since no other one is named after"
                    + " samples; name that one with --dims, as in --dims time,sample,x")
                .formatted(name, array.name()));
      }
      notes.add(
          ("No dimension of %s is named after samples, so each of the %d values of %s is a"
                  + " sample; --dims says otherwise.")
              .formatted(array.name(), first.size(), name));
      if (first.is(Meaning.TIME)) {
        notes.add(
            "Fields of neighbouring times are alike, and the parts for training and test are drawn"
                + " at random. The errors on the test part will therefore be smaller than on a new"
                + " run.");
      }
    }
    return first;
  }

  private static Optional<Dimension> channels(
      ArrayInfo array, List<Dimension> rest, List<String> notes) {
    for (Dimension dimension : rest) {
      if (dimension.is(Meaning.CHANNELS) && rest.size() > 2) {
        return Optional.of(dimension);
      }
    }
    Dimension first = rest.getFirst();
    boolean time = rest.stream().anyMatch(d -> d.is(Meaning.TIME));
    boolean few = rest.size() == 3 && !time && first.name().isEmpty() && first.size() <= FEW;
    if (few || rest.size() == 4 && first.name().isEmpty()) {
      notes.add(
          "The %d entries of dimension %d of %s %s are taken as channels; for frames use --dims %s."
              .formatted(
                  first.size(),
                  first.index() + 1,
                  array.name(),
                  array.shape(),
                  rest.size() == 3 ? "sample,time,y,x" : "sample,time,channel,y,x"));
      return Optional.of(first);
    }
    return Optional.empty();
  }

  private static Dimension frames(
      ArrayInfo array, List<Dimension> rest, String time, List<String> notes) {
    for (Dimension dimension : rest) {
      if (time.isEmpty()
          ? dimension.is(Meaning.TIME)
          : dimension.name().filter(time::equals).isPresent()) {
        return dimension;
      }
    }
    Dimension first = rest.getFirst();
    Dimension last = rest.getLast();
    Dimension frames = first.size() <= last.size() ? first : last;
    notes.add(
        ("The %d entries of dimension %d of %s %s are taken as frames; --dims says otherwise, as"
                + " in --dims %s.")
            .formatted(
                frames.size(),
                frames.index() + 1,
                array.name(),
                array.shape(),
                frames == first ? "sample,y,x,time" : "sample,time,y,x"));
    return frames;
  }

  /** Returns an array with its axes in order: [samples, channels, frames, height, width]. */
  Tensor arrange(Tensor array) {
    int[] order =
        Stream.of(
                Stream.of(samples),
                channels.stream(),
                frames.stream(),
                Stream.of(rows, columns),
                single.stream())
            .flatMap(part -> part)
            .mapToInt(Dimension::index)
            .toArray();
    return array
        .permute(order)
        .reshape(
            array.dim(samples.index()),
            channels.map(Dimension::size).orElse(1),
            frames.map(Dimension::size).orElse(1),
            rows.size(),
            columns.size());
  }
}
