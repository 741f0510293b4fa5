package io.perflow.tensor.cpu.elementwise;

import static io.perflow.tensor.cpu.vector.Simd.F;
import static io.perflow.tensor.cpu.vector.Simd.V;
import static io.perflow.tensor.cpu.vector.Simd.W;

import io.perflow.tensor.op.BinaryKind;
import java.lang.invoke.MethodHandles;
import java.util.Arrays;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;

/**
 * A function of two numbers along rows of runs: {@code y[r, i] = f(a[r, i], b[r, i])}, where either
 * operand may stand still along a run (stride 0).
 */
abstract class BinaryLoop {
  /** The function, of whole vectors. */
  interface Function {
    FloatVector apply(FloatVector a, FloatVector b);
  }

  private static final BinaryLoop[] LOOPS = new BinaryLoop[BinaryKind.values().length];

  /** Both operands advance along the run. */
  abstract void both(float[] a, int aOff, float[] b, int bOff, float[] y, int yOff, int n);

  /** {@code a} advances, {@code b} is one number. */
  abstract void left(float[] a, int aOff, float b, float[] y, int yOff, int n);

  /** {@code a} is one number, {@code b} advances. */
  abstract void right(float a, float[] b, int bOff, float[] y, int yOff, int n);

  /** {@code rows} runs of {@code cols} elements in one call. */
  abstract void rows(
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
      int cols);

  /** The loop of a kind; made at first use. A race makes two equal ones. */
  static BinaryLoop of(BinaryKind kind) {
    BinaryLoop loop = LOOPS[kind.ordinal()];
    if (loop == null) {
      loop = LoopTemplate.copy(Template.class, BinaryLoop.class, function(kind));
      LOOPS[kind.ordinal()] = loop;
    }
    return loop;
  }

  /** The vector at {@code i} of a run of {@code n}; lanes past the end are 0. */
  static FloatVector load(float[] x, int off, int i, int n) {
    return i <= n - W
        ? FloatVector.fromArray(F, x, off + i)
        : FloatVector.fromArray(F, x, off + i, F.indexInRange(i, n));
  }

  /** Puts the vector at {@code i} of a run of {@code n}; lanes past the end are dropped. */
  static void store(FloatVector v, float[] y, int off, int i, int n) {
    if (i <= n - W) {
      V.cast(v).intoArray(y, off + i);
    } else {
      V.cast(v).intoArray(y, off + i, F.indexInRange(i, n));
    }
  }

  private static Function function(BinaryKind kind) {
    return switch (kind) {
      case ADD -> (a, b) -> a.add(b);
      case SUB -> (a, b) -> a.sub(b);
      case MUL -> (a, b) -> a.mul(b);
      case DIV -> (a, b) -> a.div(b);
      case MIN -> (a, b) -> a.min(b);
      case MAX -> (a, b) -> a.max(b);
      case POW, ATAN2 -> (a, b) -> perLane(kind, a, b);
      case EQ -> (a, b) -> truth(a.compare(VectorOperators.EQ, b));
      case NE -> (a, b) -> truth(a.compare(VectorOperators.NE, b));
      case LT -> (a, b) -> truth(a.compare(VectorOperators.LT, b));
      case LE -> (a, b) -> truth(a.compare(VectorOperators.LE, b));
      case GT -> (a, b) -> truth(a.compare(VectorOperators.GT, b));
      case GE -> (a, b) -> truth(a.compare(VectorOperators.GE, b));
    };
  }

  private static FloatVector truth(VectorMask<Float> mask) {
    return FloatVector.zero(F).blend(1f, mask);
  }

  private static FloatVector perLane(BinaryKind kind, FloatVector a, FloatVector b) {
    float[] x = V.cast(a).toArray();
    float[] y = V.cast(b).toArray();
    for (int i = 0; i < W; i++) {
      x[i] = (float) kind.apply(x[i], y[i]);
    }
    return FloatVector.fromArray(F, x, 0);
  }

  /** The walks. Never used itself, only its copies: see {@link LoopTemplate}. */
  static final class Template extends BinaryLoop {
    private static final Function FUNCTION =
        LoopTemplate.function(MethodHandles.lookup(), Function.class);

    // The loop over whole vectors is a method of its own, without a tail in it: where vectors of
    // two kinds of loads meet, the compiler may fail to keep them in registers.
    @Override
    void both(float[] a, int aOff, float[] b, int bOff, float[] y, int yOff, int n) {
      int bound = F.loopBound(n);
      wholeVectors(a, aOff, b, bOff, y, yOff, bound);
      if (bound < n) {
        FloatVector u = load(a, aOff, bound, n);
        store(FUNCTION.apply(u, load(b, bOff, bound, n)), y, yOff, bound, n);
      }
    }

    private static void wholeVectors(
        float[] a, int aOff, float[] b, int bOff, float[] y, int yOff, int bound) {
      for (int i = 0; i < bound; i += W) {
        FloatVector u = FloatVector.fromArray(F, a, aOff + i);
        FUNCTION.apply(u, FloatVector.fromArray(F, b, bOff + i)).intoArray(y, yOff + i);
      }
    }

    @Override
    void left(float[] a, int aOff, float b, float[] y, int yOff, int n) {
      int bound = F.loopBound(n);
      wholeVectors(a, aOff, b, y, yOff, bound);
      if (bound < n) {
        FloatVector u = load(a, aOff, bound, n);
        store(FUNCTION.apply(u, FloatVector.broadcast(F, b)), y, yOff, bound, n);
      }
    }

    private static void wholeVectors(float[] a, int aOff, float b, float[] y, int yOff, int bound) {
      for (int i = 0; i < bound; i += W) {
        FloatVector u = FloatVector.fromArray(F, a, aOff + i);
        FUNCTION.apply(u, FloatVector.broadcast(F, b)).intoArray(y, yOff + i);
      }
    }

    @Override
    void right(float a, float[] b, int bOff, float[] y, int yOff, int n) {
      int bound = F.loopBound(n);
      wholeVectors(a, b, bOff, y, yOff, bound);
      if (bound < n) {
        FloatVector u = FloatVector.broadcast(F, a);
        store(FUNCTION.apply(u, load(b, bOff, bound, n)), y, yOff, bound, n);
      }
    }

    private static void wholeVectors(float a, float[] b, int bOff, float[] y, int yOff, int bound) {
      for (int i = 0; i < bound; i += W) {
        FloatVector u = FloatVector.broadcast(F, a);
        FUNCTION.apply(u, FloatVector.fromArray(F, b, bOff + i)).intoArray(y, yOff + i);
      }
    }

    @Override
    void rows(
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
      if (aStride == 1 && bStride == 1 && cols > 2 * W && cols <= 4 * W) {
        shortRows(a, aOff, aRow, b, bOff, bRow, y, yOff, yRow, rows, cols);
        return;
      }
      for (int r = 0; r < rows; r++) {
        int i = aOff + r * aRow;
        int j = bOff + r * bRow;
        int k = yOff + r * yRow;
        if (aStride == 1 && bStride == 1) {
          both(a, i, b, j, y, k, cols);
        } else if (aStride == 1) {
          left(a, i, b[j], y, k, cols);
        } else if (bStride == 1) {
          right(a[i], b, j, y, k, cols);
        } else {
          one(a[i], b[j], y, k, cols);
        }
      }
    }

    // Four vectors in each row, which overlap where it is shorter: a loop over the vectors of a row
    // would end before the compiler's unrolling begins. All of a row is read before it is written,
    // for a row of y may be one of a or b, and the same one for all rows.
    private static void shortRows(
        float[] a,
        int aOff,
        int aRow,
        float[] b,
        int bOff,
        int bRow,
        float[] y,
        int yOff,
        int yRow,
        int rows,
        int cols) {
      int last = cols - W;
      int third = Math.min(2 * W, last);
      for (int r = 0; r < rows; r++) {
        int i = aOff + r * aRow;
        int j = bOff + r * bRow;
        int k = yOff + r * yRow;
        FloatVector s = apply(a, i, b, j);
        FloatVector t = apply(a, i + W, b, j + W);
        FloatVector u = apply(a, i + third, b, j + third);
        FloatVector v = apply(a, i + last, b, j + last);
        s.intoArray(y, k);
        t.intoArray(y, k + W);
        u.intoArray(y, k + third);
        v.intoArray(y, k + last);
      }
    }

    private static FloatVector apply(float[] a, int i, float[] b, int j) {
      return FUNCTION.apply(FloatVector.fromArray(F, a, i), FloatVector.fromArray(F, b, j));
    }

    /** Both operands stand still: one value for the whole run. */
    private static void one(float a, float b, float[] y, int yOff, int n) {
      FloatVector v = FUNCTION.apply(FloatVector.broadcast(F, a), FloatVector.broadcast(F, b));
      Arrays.fill(y, yOff, yOff + n, v.lane(0));
    }
  }
}
