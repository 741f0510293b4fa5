package io.perflow.tensor.cpu.elementwise;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.tensor.op.UnaryKind;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The functions of one number give the bits of the functions of vectors. */
class LaneMathTest {
  private static final int N = 1 << 14;

  // all magnitudes, the range where the functions bend, and what is special
  private static float[] arguments() {
    Random random = new Random(7);
    float[] x = new float[3 * N + 11];
    for (int i = 0; i < N; i++) {
      x[i] = Float.intBitsToFloat(random.nextInt());
      x[N + i] = (float) (10 * random.nextGaussian());
      x[2 * N + i] = (float) (1000 * random.nextDouble());
    }
    float[] special = {
      0f,
      -0f,
      1f,
      -1f,
      Float.MIN_VALUE,
      88.72284f,
      -103.97208f,
      1e5f,
      -1.1e5f,
      Float.POSITIVE_INFINITY,
      Float.NEGATIVE_INFINITY
    };
    System.arraycopy(special, 0, x, 3 * N, special.length);
    return x;
  }

  @Test
  void sameBitsAsVectors() {
    float[] x = arguments();
    int known = 0;
    for (UnaryKind kind : UnaryKind.values()) {
      if (!LaneMath.knows(kind)) {
        continue;
      }
      known++;
      float[] vectors = new float[x.length];
      UnaryLoop.of(kind).run(x, 0, vectors, 0, x.length);
      for (int i = 0; i < x.length; i++) {
        float lane = LaneMath.apply(kind, x[i]);
        // NaN is NaN: its payload is not ours
        assertEquals(
            Float.floatToIntBits(vectors[i]), Float.floatToIntBits(lane), kind + " of " + x[i]);
      }
    }
    assertTrue(known >= 7);
  }
}
