package io.perflow.tensor.op;

import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/** A function f(x) applied element by element; {@link UnaryKind} lists the functions. */
public record Unary(UnaryKind kind) implements Op {
  private static final Unary[] ALL = new Unary[UnaryKind.values().length];
  private static final String[] NAMES = new String[ALL.length];

  static {
    for (UnaryKind kind : UnaryKind.values()) {
      ALL[kind.ordinal()] = new Unary(kind);
      NAMES[kind.ordinal()] = kind.name().toLowerCase(java.util.Locale.ROOT);
    }
  }

  /** Returns the operation of a kind, made once. */
  public static Unary of(UnaryKind kind) {
    return ALL[kind.ordinal()];
  }

  @Override
  public String name() {
    return NAMES[kind.ordinal()];
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    return inputs[0].shape();
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    return Op.only(backend.elementwise().unary(kind, inputs[0]));
  }

  @Override
  public Saved saved() {
    return switch (kind) {
      case SQRT, RSQRT, RECIPROCAL, EXP, TANH, SIGMOID, RELU -> Saved.OUTPUT;
      case NEG, SIGN, FLOOR, ROUND, CEIL, IS_NAN, NOT -> Saved.NOTHING;
      default -> Saved.INPUTS;
    };
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    if (kind == UnaryKind.NEG) {
      return Op.only(v.grad().neg());
    }
    Tensor slope = saved() == Saved.OUTPUT ? slopeFromOutput(v.output(0)) : slope(v);
    return Op.only(slope == null ? null : v.grad().mul(slope));
  }

  private Tensor slopeFromOutput(Tensor y) {
    return switch (kind) {
      case SQRT -> y.reciprocal().mul(0.5);
      case RSQRT -> y.square().mul(y).mul(-0.5);
      case RECIPROCAL -> y.square().neg();
      case EXP -> y;
      case TANH -> y.square().neg().add(1);
      case SIGMOID -> y.mul(y.neg().add(1));
      case RELU -> y.greater(0);
      default -> throw new AssertionError(kind);
    };
  }

  // Returns null for a slope that is zero wherever it exists.
  private Tensor slope(Vjp v) {
    return switch (kind) {
      case ABS -> v.input(0).sign();
      case SQUARE -> v.input(0).mul(2);
      case LOG -> v.input(0).reciprocal();
      case SIN -> v.input(0).cos();
      case COS -> v.input(0).sin().neg();
      case SILU -> v.input(0).unary(UnaryKind.SILU_GRAD);
      case SILU_GRAD -> siluCurvature(v.input(0));
      case GELU -> v.input(0).unary(UnaryKind.GELU_GRAD);
      case GELU_GRAD -> geluCurvature(v.input(0));
      case ERF -> v.input(0).square().neg().exp().mul(2 / Math.sqrt(Math.PI));
      case SOFTPLUS -> v.input(0).sigmoid();
      default -> null;
    };
  }

  // with s = sigmoid(x): d/dx [s (1 + x (1 - s))] = s (1 - s) (2 + x (1 - 2 s))
  private static Tensor siluCurvature(Tensor x) {
    Tensor s = x.sigmoid();
    return s.mul(s.neg().add(1)).mul(x.mul(s.mul(-2).add(1)).add(2));
  }

  // with the normal density phi: d/dx [Phi + x phi] = phi (2 - x^2)
  private static Tensor geluCurvature(Tensor x) {
    Tensor square = x.square();
    return square.mul(-0.5).exp().mul(1 / Math.sqrt(2 * Math.PI)).mul(square.neg().add(2));
  }
}
