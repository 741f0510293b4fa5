package io.perflow.autograd;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.perflow.fixtures.Samples;
import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Images;
import io.perflow.tensor.Norms;
import io.perflow.tensor.Settings;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.Attention;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Gradients have the same bits in every run and for every number of threads. */
@Isolated
class DeterminismTest {
  private static final Tensor X = Samples.of(1, 2, 16, 20, 20).to(DataType.F32);
  private static final Tensor W = Samples.of(2, 16, 16, 3, 3).to(DataType.F32);

  private static Tensor[] gradients() {
    try (Tape tape = Tape.watching(X, W)) {
      Tensor h = Images.conv2d(X, W, null, Conv2dSpec.of(1, 1));
      h = Norms.groupNormSilu(h, 4, null, null, 1e-5).add(X);
      Tensor rows = h.reshape(2, 2, 8, 400).transpose();
      Tensor y = Attention.of(rows, rows, rows).square().mean(); // three uses are summed
      Gradients g = tape.gradients(y);
      return new Tensor[] {g.of(X), g.of(W)};
    }
  }

  @Test
  void bitsDoNotDependOnThreads() {
    int threads = Settings.threads();
    try {
      Tensor[] expected = gradients();
      for (int count : new int[] {1, 2, 3, 5}) {
        Settings.threads(count);
        Tensor[] actual = gradients();
        for (int i = 0; i < actual.length; i++) {
          assertArrayEquals(expected[i].toFloats(), actual[i].toFloats());
        }
      }
    } finally {
      Settings.threads(threads);
    }
  }
}
