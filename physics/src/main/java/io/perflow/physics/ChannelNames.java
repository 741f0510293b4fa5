package io.perflow.physics;

import io.perflow.tensor.Check;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * How channels are called: a quantity by its name, and one of its frames by that name and the
 * number of the frame, counted from 1.
 */
final class ChannelNames {
  private ChannelNames() {}

  /** The names of all channels. */
  static List<String> of(Problem problem) {
    if (problem.frames().isEmpty()) {
      return problem.quantities().stream().map(Quantity::name).toList();
    }
    return problem.quantities().stream()
        .flatMap(q -> IntStream.rangeClosed(1, problem.frameCount()).mapToObj(f -> q.name() + f))
        .toList();
  }

  /** The channels that a list of names stands for, separated by commas. */
  static int[] select(Problem problem, String names) {
    List<String> all = of(problem);
    IntStream chosen = IntStream.empty();
    for (String part : names.split(",", -1)) {
      String wanted = part.strip();
      int one = all.indexOf(wanted);
      if (one >= 0) {
        chosen = IntStream.concat(chosen, IntStream.of(one));
      } else {
        int first = problem.channel(problem.quantity(wanted), 0);
        int end = first + problem.frameCount();
        chosen = IntStream.concat(chosen, IntStream.range(first, end));
      }
    }
    return chosen.distinct().toArray();
  }

  /** The same as a list. */
  static List<Integer> numbers(Problem problem, String names) {
    return Arrays.stream(select(problem, names)).boxed().toList();
  }

  /** The shortest text that stands for these channels, in this order. */
  static String text(Problem problem, int... channels) {
    List<String> all = of(problem);
    int frames = problem.frameCount();
    List<String> names = new ArrayList<>();
    for (int i = 0; i < channels.length; ) {
      int first = channels[i];
      Check.that(
          first >= 0 && first < all.size(),
          "problem " + problem.name(),
          "there is no channel %d; there are %d, counted from 0",
          first,
          all.size());
      int[] whole = IntStream.range(first, first + frames).toArray();
      int end = Math.min(channels.length, i + frames);
      boolean quantity =
          first % frames == 0 && Arrays.equals(whole, Arrays.copyOfRange(channels, i, end));
      names.add(quantity ? problem.quantities().get(first / frames).name() : all.get(first));
      i = quantity ? end : i + 1;
    }
    return String.join(",", names);
  }
}
