package io.perflow.nn;

import io.perflow.tensor.Check;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;

/**
 * The features of the time t (n) in [0, 1] that a network receives: the sines and cosines of 1000 t
 * f_i at {@code width / 2} frequencies f_i = 10000^(-i / (width / 2 - 1)), through two linear
 * layers {@code time1} and {@code time2}, each followed by SiLU. The output is (n, features).
 */
public final class TimeEmbedding extends UnaryLayer {
  private final float[] frequencies;
  private final Linear time1;
  private final Linear time2;
  private Tensor constants; // the frequencies in the type and on the device of the last call

  private TimeEmbedding(int width, int features, Rng rng) {
    if (width < 4 || width % 2 != 0) {
      throw new IllegalArgumentException(
          "[time embedding] width %d must be even and at least 4".formatted(width));
    }
    frequencies = frequencies(width / 2);
    constants = Scope.detach(Tensor.of(frequencies, frequencies.length));
    time1 = child("time1", Linear.of(width, features).build(rng.split("time1")));
    time2 = child("time2", Linear.of(features, features).build(rng.split("time2")));
  }

  /** Returns an embedding with {@code width / 2} frequencies and a number of features. */
  public static TimeEmbedding of(int width, int features, Rng rng) {
    return new TimeEmbedding(width, features, rng);
  }

  // The frequencies are computed step by step in single precision. At 1000 radians one unit in the
  // last place of a frequency is a phase of 6e-5, so another rounding would differ visibly from
  // other implementations.
  private static float[] frequencies(int half) {
    float[] f = new float[half];
    float log = (float) -Math.log(10000);
    for (int i = 0; i < half; i++) {
      f[i] = (float) Math.exp(log * i / (half - 1));
    }
    return f;
  }

  /** Takes t (n). */
  @Override
  protected Tensor forward(Tensor t) {
    Check.rank("time embedding", "time", t, 1);
    if (constants.type() != t.type() || constants.device() != t.device()) {
      Tensor plain = Tensor.of(frequencies, frequencies.length);
      constants = Scope.detach(plain.to(t.type()).to(t.device()));
    }
    try (Scope scope = Scope.open()) {
      Tensor phase = t.reshape(t.size(), 1).mul(1000).mul(constants);
      Tensor waves = Tensor.concat(1, phase.sin(), phase.cos());
      return scope.keep(time2.apply(time1.apply(waves).silu()).silu());
    }
  }
}
