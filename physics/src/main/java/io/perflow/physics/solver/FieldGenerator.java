package io.perflow.physics.solver;

import io.perflow.physics.Problem;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Map;

/**
 * A source of samples of one problem: it draws the random inputs, solves the equation, and returns
 * all fields of a sample together.
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
   * Draws one sample, shape (channels, height, width) in row-major order, in physical units.
   *
   * @param rng the stream of random numbers, which advances
   */
  double[] sample(Rng rng);

  /**
   * Draws samples as a tensor, [count, channels, height, width], F32; sample i is drawn from {@code
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
   * Returns everything that determines a sample besides the stream: names to numbers, booleans,
   * strings or maps of these, in a fixed order, as a file's metadata hold them.
   */
  Map<String, Object> parameters();
}
