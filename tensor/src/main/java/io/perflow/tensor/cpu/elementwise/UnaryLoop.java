package io.perflow.tensor.cpu.elementwise;

import static io.perflow.tensor.cpu.vector.Simd.F;
import static io.perflow.tensor.cpu.vector.Simd.W;
import static jdk.incubator.vector.VectorOperators.EQ;
import static jdk.incubator.vector.VectorOperators.GT;
import static jdk.incubator.vector.VectorOperators.LT;
import static jdk.incubator.vector.VectorOperators.NE;

import io.perflow.tensor.cpu.memory.Buffers;
import io.perflow.tensor.op.UnaryKind;
import java.lang.invoke.MethodHandles;
import jdk.incubator.vector.FloatVector;

/** A function of one number along a run of elements: {@code y[i] = f(x[i])}. */
abstract class UnaryLoop {
  /** The function, of a whole vector. */
  interface Function {
    FloatVector apply(FloatVector x);
  }

  private static final UnaryLoop[] LOOPS = new UnaryLoop[UnaryKind.values().length];

  /** Applies the function to {@code n} elements; {@code y} may be {@code x} at the same offset. */
  abstract void run(float[] x, int xOff, float[] y, int yOff, int n);

  /** The loop of a kind; made at first use. A race makes two equal ones. */
  static UnaryLoop of(UnaryKind kind) {
    UnaryLoop loop = LOOPS[kind.ordinal()];
    if (loop == null) {
      loop = LoopTemplate.copy(Template.class, UnaryLoop.class, function(kind));
      LOOPS[kind.ordinal()] = loop;
    }
    return loop;
  }

  private static Function function(UnaryKind kind) {
    return switch (kind) {
      case NEG -> x -> x.neg();
      case ABS -> x -> x.abs();
      case SIGN -> x -> x.blend(1f, x.compare(GT, 0f)).blend(-1f, x.compare(LT, 0f));
      case SQUARE -> x -> x.mul(x);
      case SQRT -> x -> x.sqrt();
      case RSQRT -> x -> FloatVector.broadcast(F, 1f).div(x.sqrt());
      case RECIPROCAL -> x -> FloatVector.broadcast(F, 1f).div(x);
      case EXP -> VectorMath::exp;
      case LOG -> VectorMath::log;
      case SIN -> VectorMath::sin;
      case COS -> VectorMath::cos;
      case TANH -> VectorMath::tanh;
      case SIGMOID -> VectorMath::sigmoid;
      case SILU -> VectorMath::silu;
      case SILU_GRAD -> VectorMath::siluGrad;
      case RELU -> x -> x.blend(0f, x.compare(LT, 0f));
      case SOFTPLUS -> VectorMath::softplus;
      case FLOOR -> VectorMath::floor;
      case ROUND -> VectorMath::round;
      case CEIL -> VectorMath::ceil;
      case IS_NAN -> x -> FloatVector.zero(F).blend(1f, x.compare(NE, x));
      case NOT -> x -> FloatVector.zero(F).blend(1f, x.compare(EQ, 0f));
      case GELU -> VectorMath::gelu;
      case GELU_GRAD -> VectorMath::geluGrad;
      case ERF -> VectorMath::erf;
    };
  }

  /** The walk. Never used itself, only its copies: see {@link LoopTemplate}. */
  static final class Template extends UnaryLoop {
    private static final Function FUNCTION =
        LoopTemplate.function(MethodHandles.lookup(), Function.class);

    @Override
    void run(float[] x, int xOff, float[] y, int yOff, int n) {
      int bound = F.loopBound(n);
      wholeVectors(x, xOff, y, yOff, bound);
      if (bound < n) {
        // By the same loop, on a vector of its own: masks beside the function would double what is
        // inlined here, and the longer functions then exceed what the compiler is willing to.
        float[] rest = Buffers.floats(W);
        System.arraycopy(x, xOff + bound, rest, 0, n - bound);
        wholeVectors(rest, 0, rest, 0, W);
        System.arraycopy(rest, 0, y, yOff + bound, n - bound);
        Buffers.give(rest);
      }
    }

    private static void wholeVectors(float[] x, int xOff, float[] y, int yOff, int bound) {
      for (int i = 0; i < bound; i += W) {
        FUNCTION.apply(FloatVector.fromArray(F, x, xOff + i)).intoArray(y, yOff + i);
      }
    }
  }
}
