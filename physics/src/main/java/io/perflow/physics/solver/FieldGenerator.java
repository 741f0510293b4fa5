package io.perflow.physics.solver;

import io.perflow.physics.Problem;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Map;

/**
 * A source of samples of one problem: draws the random inputs, solves the equation, returns all
 * fields of the sample together.
 *
 * <p>Implementations are immutable records of their parameters. {@link #sample} shares no working
 * memory and may be called from several threads at once, each with its own {@link Rng}; its result
 * depends on the parameters and the stream alone, bit for bit. Its Fourier transforms borrow the
 * library's threads when these are free; a program that fills all cores with samples sets {@link
 * io.perflow.tensor.Settings#threads(int)} to 1, so that none waits for another.
 */
public interface FieldGenerator {
  /** Returns the problem of the samples: their grid, quantities, constraints and symmetries. */
  Problem problem();

  /**
   * One sample, shape (channels, height, width) in row-major order, in physical units.
   *
   * @param rng the stream it is drawn from, which advances
   */
  double[] sample(Rng rng);

  /**
   * Samples as a tensor, [count, channels, height, width], F32; sample i is drawn from {@code
   * rng.split(i)}.
   */
  default Tensor samples(int count, Rng rng) {
    Shape shape = problem().batch(count);
    float[] all = new float[shape.size()];
    int at = 0;
    for (int i = 0; i < count; i++) {
      for (double value : sample(rng.split(i))) {
        all[at++] = (float) value;
      }
    }
    return Tensor.of(all, shape.toArray());
  }

  /**
   * Everything that determines a sample besides the stream: names to numbers, booleans, strings or
   * maps of these, in a fixed order, as they go to the metadata of a file.
   */
  Map<String, Object> parameters();
}
