package io.perflow.nn.onnx;

import io.perflow.tensor.op.Attention;
import io.perflow.tensor.op.Linear;
import java.util.List;

/** The ONNX forms of matrix products and of operations built on them. */
final class Products {
  private Products() {}

  static String linear(Linear op, Call c) {
    Graph g = c.graph();
    if (c.shape(0).rank() == 2) {
      return g.node("Gemm", c.inputs(), Attribute.integer("transB", 1));
    }
    String y = g.node("MatMul", c.input(0), g.transpose(c.input(1), 1, 0));
    return c.inputs().size() < 3 ? y : g.node("Add", y, c.input(2));
  }

  static String softmax(Graph g, String x) {
    return g.node("Softmax", List.of(x), Attribute.integer("axis", -1));
  }

  // The queries are scaled, because there are fewer of them than scores.
  static String attention(Attention op, Call c) {
    Graph g = c.graph();
    String q = g.node("Mul", c.input(0), g.scalar(op.scale()));
    String scores = g.node("MatMul", q, g.transpose(c.input(1), 0, 1, 3, 2));
    return g.node("MatMul", softmax(g, scores), c.input(2));
  }
}
