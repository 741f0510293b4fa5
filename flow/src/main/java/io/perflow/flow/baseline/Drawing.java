package io.perflow.flow.baseline;

import io.perflow.flow.Ensemble;
import io.perflow.flow.Observations;
import io.perflow.physics.Problem;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * A drawing of an ensemble in parts. Sample i has the stream {@code rng.split(i)} for any size of
 * the parts, so the size affects only memory and speed.
 */
final class Drawing {
  private Drawing() {}

  /** A function that draws some samples at once. */
  interface Part {
    /** Draws one sample for each stream, [streams, channels, height, width]. */
    Tensor draw(List<Rng> streams);
  }

  static Ensemble draw(
      String system, Problem problem, Observations seen, int count, int batch, Rng rng, Part part) {
    problem.check(system, seen.values());
    if (seen.values().dim(0) != 1 || count < 1 || batch < 1) {
      throw new IllegalArgumentException(
          "[%s] one field, at least one sample and at least one at a time, not %d, %d and %d"
              .formatted(system, seen.values().dim(0), count, batch));
    }
    Shape one = problem.batch(1);
    float[] samples = new float[problem.batch(count).size()];
    for (int first = 0; first < count; first += batch) {
      List<Rng> streams = new ArrayList<>();
      for (int i = first; i < Math.min(count, first + batch); i++) {
        streams.add(rng.split(i));
      }
      try (Scope _ = Scope.open()) {
        float[] drawn = part.draw(streams).toFloats();
        System.arraycopy(drawn, 0, samples, first * one.size(), drawn.length);
      }
    }
    return new Ensemble(Tensor.of(samples, count, one.dim(1), one.dim(2), one.dim(3)));
  }

  /** Draws one tensor for each stream and joins them along the batch. */
  static Tensor each(List<Rng> streams, Function<Rng, Tensor> draw) {
    return Tensor.concat(0, streams.stream().map(draw).toArray(Tensor[]::new));
  }

  /** Repeats a tensor for every sample: [1, …] to [count, …]. */
  static Tensor repeat(Tensor one, int count) {
    return one.expand(one.shape().with(0, count)).contiguous();
  }
}
