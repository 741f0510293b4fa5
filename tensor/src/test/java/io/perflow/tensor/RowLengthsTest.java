package io.perflow.tensor;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.tensor.op.BinaryKind;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Kernels that treat rows of a few vectors apart, at every length up to several vectors of 512
 * bits.
 */
class RowLengthsTest {
  private static final Rng RNG = Rng.of(9);
  private static final int ROWS = 3;
  private static final int LONGEST = 150;

  /** The last row ends where the memory ends, for some kernels read past the last element. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 9})
  void strided(int step) {
    for (int cols = 1; cols <= LONGEST; cols++) {
      int width = step * cols + 5;
      for (int start = 0; start < step; start++) {
        Tensor whole = RNG.normal(Shape.of(ROWS, width));
        int last = start + step * (cols - 1);
        Tensor cut = whole.slice(1, width - 1 - last, cols, step);
        float[] all = whole.toFloats();
        float[] expected = new float[ROWS * cols];
        for (int i = 0; i < expected.length; i++) {
          expected[i] = all[i / cols * width + width - 1 - last + i % cols * step];
        }
        assertArrayEquals(expected, cut.contiguous().toFloats(), cols + " of step " + step);
      }
    }
  }

  @Test
  void gathered() {
    for (int inner = 1; inner <= LONGEST; inner++) {
      for (int count : new int[] {1, 7, 8, 9, 31}) {
        int[] index = IntStream.range(0, count).map(i -> i * 7 % 11).toArray();
        Tensor x = RNG.normal(Shape.of(11, inner));
        float[] all = x.toFloats();
        float[] expected = new float[count * inner];
        for (int i = 0; i < expected.length; i++) {
          expected[i] = all[index[i / inner] * inner + i % inner];
        }
        assertArrayEquals(expected, x.gather(0, index).toFloats(), inner + " x " + count);
      }
    }
  }

  @Test
  void gatheredElements() {
    for (int count = 1; count <= 40; count++) {
      int[] index = IntStream.range(0, count).map(i -> i * 3 % 7).toArray();
      Tensor x = RNG.normal(Shape.of(ROWS, 7));
      float[] all = x.toFloats();
      float[] expected = new float[ROWS * count];
      for (int i = 0; i < expected.length; i++) {
        expected[i] = all[i / count * 7 + index[i % count]];
      }
      assertArrayEquals(expected, x.gather(1, index).toFloats(), count + " elements");
    }
  }

  @Test
  void added() {
    for (int cols = 1; cols <= LONGEST; cols++) {
      float[] a = RNG.split("a").normal(Shape.of(ROWS, cols)).toFloats();
      float[] b = RNG.split("b").normal(Shape.of(cols)).toFloats();
      float[] expected = new float[a.length];
      for (int i = 0; i < a.length; i++) {
        expected[i] = a[i] + b[i % cols];
      }
      Tensor y = Tensor.of(a, ROWS, cols).add(Tensor.of(b, cols));
      assertArrayEquals(expected, y.toFloats(), cols + " columns");
    }
  }

  /** All rows of the result are one row, which a fold over the rows reads and writes. */
  @Test
  void extremesOfColumns() {
    for (int cols = 1; cols <= LONGEST; cols++) {
      float[] a = RNG.normal(Shape.of(5, cols)).toFloats();
      float[] expected = new float[cols];
      Arrays.fill(expected, Float.NEGATIVE_INFINITY);
      for (int i = 0; i < a.length; i++) {
        expected[i % cols] = (float) BinaryKind.MAX.apply(expected[i % cols], a[i]);
      }
      assertArrayEquals(
          expected, Tensor.of(a, 5, cols).max(false, 0).toFloats(), cols + " columns");
    }
  }

  @Test
  void extremesWhereverTheyAre() {
    for (int n = 1; n <= LONGEST; n++) {
      for (int at = 0; at < n; at++) {
        float[] x = new float[n];
        x[at] = 2;
        assertEquals(2, Tensor.of(x, n).max(false).item(), at + " of " + n);
        x[at] = -2;
        assertEquals(-2, Tensor.of(x, n).min(false).item(), at + " of " + n);
        x[at] = Float.NaN;
        assertTrue(Double.isNaN(Tensor.of(x, n).max(false).item()), at + " of " + n);
        assertTrue(Double.isNaN(Tensor.of(x, n).min(false).item()), at + " of " + n);
      }
    }
  }

  /** Small whole numbers, whose sums are exact, so that one that is lost or counted twice shows. */
  @Test
  void sumsOfRows() {
    for (int cols :
        new int[] {1, 5, 15, 16, 17, 64, 70, 1000, 4095, 4096, 4097, 8192, 12290, 70000}) {
      for (int rows : new int[] {1, 2, 5, 33}) {
        float[] x = new float[rows * cols];
        float[] expected = new float[rows];
        for (int i = 0; i < x.length; i++) {
          x[i] = i % 13;
          expected[i / cols] += x[i];
        }
        String what = rows + " x " + cols;
        assertArrayEquals(expected, Tensor.of(x, rows, cols).sum(false, 1).toFloats(), what);
      }
    }
  }

  @Test
  void productsOfFewRows() {
    for (int rows = 1; rows <= 9; rows++) {
      for (int cols = 1; cols <= LONGEST; cols += rows == 1 ? 1 : 7) {
        int depth = 6;
        float[] a = whole(2 * rows * depth);
        float[] b = whole(2 * depth * cols);
        float[] expected = new float[2 * rows * cols];
        for (int i = 0; i < expected.length; i++) {
          int batch = i / (rows * cols);
          for (int k = 0; k < depth; k++) {
            expected[i] += a[i / cols * depth + k] * b[(batch * depth + k) * cols + i % cols];
          }
        }
        Tensor y = Tensor.of(a, 2, rows, depth).matmul(Tensor.of(b, 2, depth, cols));
        assertArrayEquals(expected, y.toFloats(), rows + " x " + cols);
      }
    }
  }

  // small numbers, whose products and sums are exact
  private static float[] whole(int count) {
    float[] x = new float[count];
    for (int i = 0; i < count; i++) {
      x[i] = i * 5 % 17 - 8;
    }
    return x;
  }
}
