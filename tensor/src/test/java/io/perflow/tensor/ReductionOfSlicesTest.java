package io.perflow.tensor;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import org.junit.jupiter.api.Test;

/** Reductions of channels cut out of a larger image, which are read where they lie. */
class ReductionOfSlicesTest {
  private static final Rng RNG = Rng.of(11);

  private static Tensor image(int n, int c, int h, int w) {
    Tensor x = RNG.normal(Shape.of(n, c, h, w));
    return x.device().backend().memory().copy(x, Layout.channelsLast(x.shape()));
  }

  private static void check(Tensor part, int... axes) {
    Tensor dense = part.contiguous();
    assertArrayEquals(dense.sum(axes).toFloats(), part.sum(axes).toFloats(), 1e-4f);
    assertArrayEquals(dense.max(false, axes).toFloats(), part.max(false, axes).toFloats());
    assertArrayEquals(dense.min(true, axes).toFloats(), part.min(true, axes).toFloats());
  }

  @Test
  void overPixels() {
    for (int c : new int[] {1, 3, 8, 19, 40}) {
      Tensor all = image(3, 48, 9, 7);
      check(all.slice(1, 5, 5 + c), 0, 2, 3);
      check(all.slice(1, 5, 5 + c).slice(0, 1, 2), 0, 2, 3);
      check(all.slice(1, 5, 5 + c).slice(2, 2, 5), 0, 2, 3); // rows that do not meet
      check(all.slice(1, 5, 5 + c), 2, 3);
      check(all.slice(1, 5, 5 + c), 1);
    }
  }
}
