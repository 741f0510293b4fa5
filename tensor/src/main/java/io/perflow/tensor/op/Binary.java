package io.perflow.tensor.op;

import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;

/**
 * A function f(a, b) applied element by element with NumPy broadcasting; {@link BinaryKind} lists
 * the functions.
 */
public record Binary(BinaryKind kind) implements Op {
  private static final Binary[] ALL = new Binary[BinaryKind.values().length];
  private static final String[] NAMES = new String[ALL.length];

  static {
    for (BinaryKind kind : BinaryKind.values()) {
      ALL[kind.ordinal()] = new Binary(kind);
      NAMES[kind.ordinal()] = kind.name().toLowerCase(java.util.Locale.ROOT);
    }
  }

  /** Returns the operation of a kind, made once. */
  public static Binary of(BinaryKind kind) {
    return ALL[kind.ordinal()];
  }

  @Override
  public String name() {
    return NAMES[kind.ordinal()];
  }

  @Override
  public Shape outputShape(Tensor... inputs) {
    return Shape.broadcast(name(), inputs[0].shape(), inputs[1].shape());
  }

  @Override
  public Tensor[] forward(Backend backend, Tensor... inputs) {
    return Op.only(backend.elementwise().binary(kind, inputs[0], inputs[1]));
  }

  @Override
  public Saved saved() {
    return switch (kind) {
      case MUL, DIV, MIN, MAX, ATAN2 -> Saved.INPUTS;
      case POW -> Saved.INPUTS.andOutputs(0);
      default -> Saved.NOTHING;
    };
  }

  @Override
  public Saved saved(int needed) {
    return switch (kind) {
      case MUL -> Saved.otherFactor(needed);
      case DIV -> needed == 1 ? Saved.inputs(1) : Saved.INPUTS;
      case POW -> needed == 1 ? Saved.INPUTS : saved();
      default -> saved();
    };
  }

  @Override
  public Tensor[] vjp(Vjp v) {
    Tensor da = v.needs(0) ? left(v) : null;
    Tensor db = v.needs(1) ? right(v) : null;
    return new Tensor[] {
      da == null ? null : da.sumTo(v.shape(0)), db == null ? null : db.sumTo(v.shape(1))
    };
  }

  private Tensor left(Vjp v) {
    Tensor g = v.grad();
    return switch (kind) {
      case ADD, SUB -> g;
      case MUL -> g.mul(v.input(1));
      case DIV -> g.div(v.input(1));
      case MIN -> g.mul(share(v.input(0), v.input(1)));
      case MAX -> g.mul(share(v.input(1), v.input(0)));
      case POW -> g.mul(v.input(1)).mul(v.input(0).pow(v.input(1).sub(1)));
      case ATAN2 -> g.mul(v.input(1)).div(v.input(0).square().add(v.input(1).square()));
      default -> null; // a comparison has slope 0
    };
  }

  private Tensor right(Vjp v) {
    Tensor g = v.grad();
    return switch (kind) {
      case ADD -> g;
      case SUB -> g.neg();
      case MUL -> g.mul(v.input(0));
      case DIV -> g.mul(v.input(0)).div(v.input(1).square()).neg();
      case MIN -> g.mul(share(v.input(1), v.input(0)));
      case MAX -> g.mul(share(v.input(0), v.input(1)));
      case POW -> powExponent(v);
      case ATAN2 -> g.mul(v.input(0)).div(v.input(0).square().add(v.input(1).square())).neg();
      default -> null;
    };
  }

  // d a^b / db = a^b log a, and 0 where a is 0 (the limit for b > 0)
  private static Tensor powExponent(Vjp v) {
    Tensor a = v.input(0);
    Tensor log = a.eq(0).where(a.zerosLike(), a.log());
    return v.grad().mul(v.output(0)).mul(log);
  }

  // 1 where a < b, half where they tie
  private static Tensor share(Tensor a, Tensor b) {
    return a.less(b).add(a.eq(b).mul(0.5));
  }
}
