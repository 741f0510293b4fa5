package io.perflow.nn.onnx;

import io.perflow.tensor.op.AddScaled;
import io.perflow.tensor.op.Binary;
import io.perflow.tensor.op.BinaryKind;
import io.perflow.tensor.op.Unary;
import io.perflow.tensor.op.UnaryKind;
import io.perflow.tensor.op.Where;
import java.util.List;
import java.util.Map;

/** The ONNX forms of functions of single elements. */
final class Elementwise {
  private static final int FLOAT = 1; // data types of a Cast
  private static final int BOOL = 9;

  // Functions that are a single node.
  private static final Map<UnaryKind, String> UNARY =
      Map.ofEntries(
          Map.entry(UnaryKind.NEG, "Neg"),
          Map.entry(UnaryKind.ABS, "Abs"),
          Map.entry(UnaryKind.SIGN, "Sign"),
          Map.entry(UnaryKind.SQRT, "Sqrt"),
          Map.entry(UnaryKind.RECIPROCAL, "Reciprocal"),
          Map.entry(UnaryKind.EXP, "Exp"),
          Map.entry(UnaryKind.LOG, "Log"),
          Map.entry(UnaryKind.SIN, "Sin"),
          Map.entry(UnaryKind.COS, "Cos"),
          Map.entry(UnaryKind.TANH, "Tanh"),
          Map.entry(UnaryKind.SIGMOID, "Sigmoid"),
          Map.entry(UnaryKind.RELU, "Relu"),
          Map.entry(UnaryKind.ERF, "Erf"),
          Map.entry(UnaryKind.SOFTPLUS, "Softplus"),
          Map.entry(UnaryKind.FLOOR, "Floor"),
          Map.entry(UnaryKind.ROUND, "Round"),
          Map.entry(UnaryKind.CEIL, "Ceil"));

  private static final Map<BinaryKind, String> BINARY =
      Map.of(
          BinaryKind.ADD, "Add",
          BinaryKind.SUB, "Sub",
          BinaryKind.MUL, "Mul",
          BinaryKind.DIV, "Div",
          BinaryKind.MIN, "Min",
          BinaryKind.MAX, "Max",
          BinaryKind.POW, "Pow");

  // Comparisons give booleans in ONNX and numbers here.
  private static final Map<BinaryKind, String> COMPARISONS =
      Map.of(
          BinaryKind.EQ, "Equal",
          BinaryKind.LT, "Less",
          BinaryKind.LE, "LessOrEqual",
          BinaryKind.GT, "Greater",
          BinaryKind.GE, "GreaterOrEqual");

  private Elementwise() {}

  static String unary(Unary op, Call c) {
    Graph g = c.graph();
    String x = c.input(0);
    String direct = UNARY.get(op.kind());
    if (direct != null) {
      return g.node(direct, x);
    }
    return switch (op.kind()) {
      case SQUARE -> g.node("Mul", x, x);
      case RSQRT -> g.node("Reciprocal", g.node("Sqrt", x));
      case SILU -> silu(g, x);
      case GELU -> gelu(g, x);
      default -> throw c.unsupported("");
    };
  }

  /** Returns x sigmoid(x). */
  static String silu(Graph g, String x) {
    return g.node("Mul", x, g.node("Sigmoid", x));
  }

  // The opset has no Gelu node yet. Runtimes recognize this composition as one.
  private static String gelu(Graph g, String x) {
    String erf = g.node("Erf", g.node("Div", x, g.scalar(Math.sqrt(2))));
    return g.node("Mul", g.node("Mul", x, g.node("Add", erf, g.scalar(1))), g.scalar(0.5));
  }

  static String binary(Binary op, Call c) {
    Graph g = c.graph();
    String direct = BINARY.get(op.kind());
    if (direct != null) {
      return g.node(direct, c.input(0), c.input(1));
    }
    String comparison = COMPARISONS.get(op.kind());
    if (comparison == null) {
      throw c.unsupported("");
    }
    return cast(g, g.node(comparison, c.input(0), c.input(1)), FLOAT);
  }

  static String addScaled(AddScaled op, Call c) {
    Graph g = c.graph();
    return g.node("Add", c.input(0), g.node("Mul", c.input(1), g.scalar(op.alpha())));
  }

  static String where(Where op, Call c) {
    return c.graph().node("Where", cast(c.graph(), c.input(0), BOOL), c.input(1), c.input(2));
  }

  private static String cast(Graph g, String x, int type) {
    return g.node("Cast", List.of(x), Attribute.integer("to", type));
  }
}
