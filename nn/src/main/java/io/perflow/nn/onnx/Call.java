package io.perflow.nn.onnx;

import java.util.List;

/**
 * An operation that is to be written: the graph it goes to, and the names and shapes of its
 * tensors.
 *
 * @param name the operation's name for messages
 * @param inputs the values of the graph that it reads
 * @param shapes the shapes of the inputs
 * @param output the shape of the result
 */
record Call(
    Graph graph, String name, List<String> inputs, List<BatchShape> shapes, BatchShape output) {
  String input(int i) {
    return inputs.get(i);
  }

  BatchShape shape(int i) {
    return shapes.get(i);
  }

  /** Returns the exception for an operation, or a form of it, that cannot be written. */
  IllegalArgumentException unsupported(String form) {
    return new IllegalArgumentException(
        "[onnx] operation %s%s has no ONNX form".formatted(name, form.isEmpty() ? "" : " " + form));
  }

  /** Checks that the extent of an axis does not depend on the batch. */
  void requireFixed(BatchShape shape, int axis) {
    if (shape.isBatch(axis)) {
      throw unsupported("along the batch, axis %d of %s,".formatted(axis, shape));
    }
  }
}
