package io.perflow.nn.onnx;

import io.perflow.tensor.Shape;
import io.perflow.tensor.io.AtomicFile;
import io.perflow.tensor.io.ProtoMessage;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * An ONNX graph under construction, {@code GraphProto}: nodes in the order in which they run, and
 * constants. A value is identified by its name, which the methods that make it return.
 */
final class Graph {
  /** The name of the axis whose extent a runtime chooses. */
  static final String BATCH = "batch";

  // fields of GraphProto
  private static final int NODE = 1;
  private static final int GRAPH_NAME = 2;
  private static final int INITIALIZER = 5;
  private static final int INPUT = 11;
  private static final int OUTPUT = 12;
  // fields of NodeProto
  private static final int NODE_INPUT = 1;
  private static final int NODE_OUTPUT = 2;
  private static final int NODE_NAME = 3;
  private static final int NODE_TYPE = 4;
  private static final int NODE_ATTRIBUTE = 5;
  // fields of TensorProto, and two of its types
  private static final int DIMS = 1;
  private static final int DATA_TYPE = 2;
  private static final int TENSOR_NAME = 8;
  private static final int RAW_DATA = 9;
  private static final int FLOAT = 1;
  private static final int INT64 = 7;
  // fields of ValueInfoProto, TypeProto.Tensor and TensorShapeProto.Dimension
  private static final int VALUE_NAME = 1;
  private static final int VALUE_TYPE = 2;
  private static final int VALUE_DOC = 3;
  private static final int TENSOR_TYPE = 1;
  private static final int ELEMENT_TYPE = 1;
  private static final int SHAPE = 2;
  private static final int DIM = 1;
  private static final int DIM_VALUE = 1;
  private static final int DIM_PARAM = 2;

  private static final int CHUNK = 1 << 12; // floats that are turned to bytes at once

  private final ProtoMessage message = new ProtoMessage();
  private final Set<String> names = new HashSet<>();
  private final Map<List<?>, String> known = new HashMap<>(); // constants by shape and contents
  private final String firstInput;
  private final String output;
  private String batch; // null until it is needed
  private int nodes;

  /**
   * Creates an empty graph.
   *
   * @param firstInput the input whose first axis is the batch
   * @param output the name of the output
   */
  Graph(String name, String firstInput, String output) {
    message.text(GRAPH_NAME, name);
    this.firstInput = firstInput;
    this.output = output;
    names.add(output);
  }

  // ---- nodes

  /** Adds a node with one output. */
  String node(String type, List<String> inputs, Attribute... attributes) {
    return node(type, unique(type + "_" + nodes), inputs, attributes);
  }

  /** Adds a node without attributes. */
  String node(String type, String... inputs) {
    return node(type, List.of(inputs));
  }

  private String node(String type, String output, List<String> inputs, Attribute... attributes) {
    ProtoMessage node = new ProtoMessage();
    inputs.forEach(input -> node.text(NODE_INPUT, input));
    node.text(NODE_OUTPUT, output).text(NODE_NAME, output).text(NODE_TYPE, type);
    for (Attribute attribute : attributes) {
      node.message(NODE_ATTRIBUTE, attribute.message());
    }
    message.message(NODE, node);
    nodes++;
    return output;
  }

  /** Returns x under another shape, of which at most one extent may depend on the batch. */
  String reshape(String x, BatchShape shape) {
    if (shape.batches() > 1) {
      throw new IllegalArgumentException(
          "[onnx] a reshape to %s, where n is the batch, leaves two extents open".formatted(shape));
    }
    long[] extents = new long[shape.rank()];
    for (int a = 0; a < extents.length; a++) {
      extents[a] = shape.isBatch(a) ? -1 : shape.counts()[a];
    }
    return node("Reshape", x, integers(extents));
  }

  /** Transposes x as {@link io.perflow.tensor.op.Permute} does. */
  String transpose(String x, int... axes) {
    return node("Transpose", List.of(x), Attribute.integers("perm", axes));
  }

  /** Returns a shape as a tensor of integers. */
  String extents(BatchShape shape) {
    String[] parts = new String[shape.rank()];
    for (int a = 0; a < parts.length; a++) {
      String count = integers(shape.counts()[a]);
      parts[a] = shape.isBatch(a) ? node("Mul", batch(), count) : count;
    }
    return node("Concat", List.of(parts), Attribute.integer("axis", 0));
  }

  private String batch() {
    if (batch == null) {
      batch =
          node(
              "Shape",
              List.of(firstInput),
              Attribute.integer("start", 0),
              Attribute.integer("end", 1));
    }
    return batch;
  }

  // ---- constants

  /** Returns a number. */
  String scalar(double value) {
    return floats("", Shape.of(), new float[] {(float) value});
  }

  /** Returns a tensor of numbers; one with the same shape and contents is written once. */
  String floats(String origin, Shape shape, float[] numbers) {
    return known.computeIfAbsent(
        List.of(shape, FloatBuffer.wrap(numbers)),
        _ -> weight(origin.isEmpty() ? "constant" : origin, shape, () -> numbers));
  }

  /** Returns a tensor with its own name, whose numbers are fetched when it is written. */
  String weight(String origin, Shape shape, Supplier<float[]> numbers) {
    long bytes = (long) shape.size() * Float.BYTES;
    return tensor(origin, shape, FLOAT, bytes, out -> write(numbers.get(), out));
  }

  /** Returns a list of integers. */
  String integers(long... values) {
    List<Long> key = Arrays.stream(values).boxed().toList();
    return known.computeIfAbsent(
        key,
        _ -> {
          ByteBuffer raw =
              ByteBuffer.allocate(values.length * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
          raw.asLongBuffer().put(values);
          Shape shape = Shape.of(values.length);
          return tensor("integers", shape, INT64, raw.capacity(), out -> out.write(raw.array()));
        });
  }

  private String tensor(
      String origin, Shape shape, int type, long bytes, AtomicFile.Contents contents) {
    String name = unique(origin);
    ProtoMessage tensor = new ProtoMessage();
    for (int extent : shape.toArray()) {
      tensor.integer(DIMS, extent);
    }
    tensor.integer(DATA_TYPE, type).text(TENSOR_NAME, name).bytes(RAW_DATA, bytes, contents);
    message.message(INITIALIZER, tensor);
    return name;
  }

  private static void write(float[] numbers, OutputStream out) throws IOException {
    ByteBuffer raw = ByteBuffer.allocate(CHUNK * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (int at = 0; at < numbers.length; at += CHUNK) {
      int count = Math.min(CHUNK, numbers.length - at);
      raw.asFloatBuffer().put(numbers, at, count);
      out.write(raw.array(), 0, count * Float.BYTES);
    }
  }

  private String unique(String wanted) {
    String name = wanted;
    for (int i = 2; !names.add(name); i++) {
      name = wanted + "_" + i;
    }
    return name;
  }

  // ---- inputs and outputs

  /** Adds an input of the graph, before any node. */
  void input(String name, String doc, BatchShape shape) {
    names.add(name);
    message.message(INPUT, value(name, doc, shape));
  }

  /** Makes a value the output of the graph. */
  void output(String value, String doc, BatchShape shape) {
    node("Identity", output, List.of(value));
    message.message(OUTPUT, value(output, doc, shape));
  }

  private static ProtoMessage value(String name, String doc, BatchShape shape) {
    ProtoMessage extents = new ProtoMessage();
    for (int a = 0; a < shape.rank(); a++) {
      ProtoMessage dim = new ProtoMessage();
      if (shape.isBatch(a)) {
        int count = shape.counts()[a];
        dim.text(DIM_PARAM, count == 1 ? BATCH : count + "*" + BATCH);
      } else {
        dim.integer(DIM_VALUE, shape.counts()[a]);
      }
      extents.message(DIM, dim);
    }
    ProtoMessage tensor = new ProtoMessage().integer(ELEMENT_TYPE, FLOAT).message(SHAPE, extents);
    return new ProtoMessage()
        .text(VALUE_NAME, name)
        .message(VALUE_TYPE, new ProtoMessage().message(TENSOR_TYPE, tensor))
        .text(VALUE_DOC, doc);
  }

  ProtoMessage message() {
    return message;
  }
}
