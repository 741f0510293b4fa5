package io.perflow.tensor.cpu.elementwise;

import static io.perflow.tensor.cpu.vector.Simd.F;
import static io.perflow.tensor.cpu.vector.Simd.W;
import static jdk.incubator.vector.VectorOperators.NE;

import io.perflow.tensor.op.BinaryKind;
import io.perflow.tensor.op.UnaryKind;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;

/**
 * Elementwise functions along contiguous runs.
 *
 * <p>A run may be as short as one element: the caller walks the outer axes of a strided tensor and
 * cuts large work for the threads. A destination may be a source at the same offset. An operand of
 * stride 0 is one number for the whole run. Results do not depend on where a run starts or ends,
 * because the tail of a run goes through the same vector instructions under a mask.
 */
public final class Elementwise {
  private Elementwise() {}

  /** {@code y[i] = f(x[i])} for {@code n} elements. */
  static void unary(UnaryKind kind, float[] x, int xOff, float[] y, int yOff, int n) {
    UnaryLoop.of(kind).run(x, xOff, y, yOff, n);
  }

  /** {@code y[i] = f(a[i * aStride], b[i * bStride])} for {@code n} elements, strides 0 or 1. */
  static void binary(
      BinaryKind kind,
      float[] a,
      int aOff,
      int aStride,
      float[] b,
      int bOff,
      int bStride,
      float[] y,
      int yOff,
      int n) {
    binaryRows(kind, a, aOff, 0, aStride, b, bOff, 0, bStride, y, yOff, 0, 1, n);
  }

  /**
   * {@code y[r, i] = f(a[r, i], b[r, i])} for {@code rows} runs of {@code cols} elements: one call
   * where runs are short. Strides along a run are 0 or 1, row strides anything.
   */
  public static void binaryRows(
      BinaryKind kind,
      float[] a,
      int aOff,
      int aRow,
      int aStride,
      float[] b,
      int bOff,
      int bRow,
      int bStride,
      float[] y,
      int yOff,
      int yRow,
      int rows,
      int cols) {
    if (cols > 0) {
      BinaryLoop.of(kind)
          .rows(a, aOff, aRow, aStride, b, bOff, bRow, bStride, y, yOff, yRow, rows, cols);
    }
  }

  /** {@code y[i] = c[i] != 0 ? a[i] : b[i]}; strides 0 or 1; NaN in {@code c} counts as true. */
  static void where(
      float[] c,
      int cOff,
      int cStride,
      float[] a,
      int aOff,
      int aStride,
      float[] b,
      int bOff,
      int bStride,
      float[] y,
      int yOff,
      int n) {
    int bound = F.loopBound(n);
    for (int i = 0; i < bound; i += W) {
      FloatVector t = run(c, cOff, cStride, i);
      FloatVector u = run(a, aOff, aStride, i);
      FloatVector v = run(b, bOff, bStride, i);
      v.blend(u, t.compare(NE, 0f)).intoArray(y, yOff + i);
    }
    for (int i = bound; i < n; i++) { // a choice rounds nothing: scalars give the same bits
      y[yOff + i] = c[cOff + i * cStride] != 0 ? a[aOff + i * aStride] : b[bOff + i * bStride];
    }
  }

  private static FloatVector run(float[] x, int xOff, int stride, int i) {
    return stride == 0 ? FloatVector.broadcast(F, x[xOff]) : FloatVector.fromArray(F, x, xOff + i);
  }

  /**
   * {@code y = alpha x + beta y}, the second product fused with the sum. With {@code beta} = 0 the
   * old {@code y} is not read, so it may hold anything.
   */
  public static void axpby(
      float alpha, float[] x, int xOff, float beta, float[] y, int yOff, int n) {
    if (beta == 0f) {
      binary(BinaryKind.MUL, x, xOff, 1, new float[] {alpha}, 0, 0, y, yOff, n);
      return;
    }
    FloatVector b = FloatVector.broadcast(F, beta);
    int bound = F.loopBound(n);
    for (int i = 0; i < bound; i += W) {
      FloatVector v = FloatVector.fromArray(F, y, yOff + i);
      v.fma(b, FloatVector.fromArray(F, x, xOff + i).mul(alpha)).intoArray(y, yOff + i);
    }
    if (bound < n) {
      VectorMask<Float> rest = F.indexInRange(bound, n);
      FloatVector v = FloatVector.fromArray(F, y, yOff + bound, rest);
      FloatVector u = FloatVector.fromArray(F, x, xOff + bound, rest).mul(alpha);
      v.fma(b, u).intoArray(y, yOff + bound, rest);
    }
  }
}
