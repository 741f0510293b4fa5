package io.perflow.nn.onnx;

import io.perflow.nn.FormatVersion;
import io.perflow.nn.Layer;
import io.perflow.nn.Parameter;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.NonFinite;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.AtomicFile;
import io.perflow.tensor.io.ProtoMessage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * An export of a network to an ONNX file with its weights inside, for other runtimes.
 *
 * <pre>{@code
 * OnnxExport.of(net).input("x", 3, 64, 64).input("t").output("velocity").write(file);
 * }</pre>
 *
 * <p>The network runs twice, with two sizes of batch, and its operations are recorded. Each
 * operation is written as the nodes that compute the same. Extents that grew with the batch become
 * an axis {@code batch} of any length; all others are fixed. What depends on no input, such as the
 * matrices of a spectral convolution, is computed once and written as a constant. Any layer can be
 * exported, your own included, if its operations have an ONNX form. A layer in training mode is
 * exported in that mode.
 *
 * <p>Weights keep their dotted names. A constant that was computed from a weight has the weight's
 * name followed by a slash and the operation.
 */
public final class OnnxExport {
  /** The version of the operators: that of ONNX 1.12. */
  public static final int OPSET = 17;

  private static final int IR_VERSION = 8; // the version of the format, also that of ONNX 1.12
  private static final long LARGEST = Integer.MAX_VALUE; // the largest size of a protocol buffer

  // fields of ModelProto and of what is inside it
  private static final int IR = 1;
  private static final int PRODUCER = 2;
  private static final int PRODUCER_VERSION = 3;
  private static final int GRAPH = 7;
  private static final int OPERATORS = 8;
  private static final int OPERATORS_VERSION = 2;
  private static final int METADATA = 14;
  private static final int KEY = 1;
  private static final int VALUE = 2;

  private final Layer layer;
  private final Function<Tensor[], Tensor> function;
  private final List<Port> inputs = new ArrayList<>();
  private Port output = new Port("output", "", Shape.of());
  private final Map<String, String> notes = new LinkedHashMap<>();

  /** An input or output tensor, with its shape for one field. */
  private record Port(String name, String meaning, Shape one) {
    Shape batch(int n) {
      return one.insert(0, n);
    }
  }

  private OnnxExport(Layer layer, Function<Tensor[], Tensor> function) {
    this.layer = layer;
    this.function = function;
  }

  /** Returns the export of a layer with its inputs. */
  public static OnnxExport of(Layer layer) {
    return of(layer, layer::run);
  }

  /**
   * Returns the export of a function of tensors that contains a layer.
   *
   * @param layer the layer whose weights keep their names
   * @param function the function of the inputs, in their order
   */
  public static OnnxExport of(Layer layer, Function<Tensor[], Tensor> function) {
    return new OnnxExport(layer, function);
  }

  /** Adds an input (batch, extents …). */
  public OnnxExport input(String name, int... extents) {
    return input(name, "", extents);
  }

  /** Adds an input (batch, extents …), whose meaning the file states. */
  public OnnxExport input(String name, String meaning, int... extents) {
    inputs.add(new Port(name, meaning, Shape.of(extents)));
    return this;
  }

  /** Names the output (default {@code output}). */
  public OnnxExport output(String name) {
    return output(name, "");
  }

  /** Names the output, whose meaning the file states. */
  public OnnxExport output(String name, String meaning) {
    output = new Port(name, meaning, Shape.of());
    return this;
  }

  /** Adds an entry to the file's metadata. */
  public OnnxExport note(String key, String value) {
    notes.put(key, value);
    return this;
  }

  /**
   * Writes the file, complete or not at all.
   *
   * @throws IllegalArgumentException when the network has an operation without an ONNX form, or
   *     weights that are not finite, and when the file would be larger than the 2 GB that ONNX
   *     allows
   */
  public void write(Path file) throws IOException {
    ProtoMessage model = model();
    if (model.size() > LARGEST) {
      throw new IllegalArgumentException(
          "[onnx] %s would have %d MB; an ONNX file has at most 2048"
              .formatted(file, model.size() >> 20));
    }
    AtomicFile.write(file, model::writeTo);
  }

  /** Returns the bytes of the file. */
  public byte[] toBytes() {
    return model().toBytes();
  }

  private ProtoMessage model() {
    ProtoMessage model =
        new ProtoMessage()
            .integer(IR, IR_VERSION)
            .text(PRODUCER, "perflow-nn")
            .text(PRODUCER_VERSION, FormatVersion.library())
            .message(GRAPH, graph())
            .message(OPERATORS, new ProtoMessage().integer(OPERATORS_VERSION, OPSET));
    notes.forEach(
        (key, value) ->
            model.message(METADATA, new ProtoMessage().text(KEY, key).text(VALUE, value)));
    return model;
  }

  private ProtoMessage graph() {
    if (inputs.isEmpty()) {
      throw new IllegalStateException("[onnx] no input is named");
    }
    Trace few = trace(BatchShape.FEW);
    List<BatchShape> shapes = few.joined(trace(BatchShape.MANY));
    Graph graph = new Graph(layer.getClass().getSimpleName(), inputs.getFirst().name, output.name);
    Map<Integer, String> names = new LinkedHashMap<>();
    for (int i = 0; i < inputs.size(); i++) {
      graph.input(inputs.get(i).name, inputs.get(i).meaning, shapes.get(i));
      names.put(i, inputs.get(i).name);
    }
    for (Trace.Step step : few.steps()) {
      List<String> from = new ArrayList<>();
      List<BatchShape> of = new ArrayList<>();
      for (int input : step.inputs()) {
        from.add(names.computeIfAbsent(input, i -> constant(graph, few, i, shapes.get(i))));
        of.add(shapes.get(input));
      }
      Call call = new Call(graph, step.op().name(), from, of, shapes.get(step.output()));
      names.put(step.output(), Operators.write(step.op(), call));
    }
    int result = few.output();
    graph.output(
        names.computeIfAbsent(result, i -> constant(graph, few, i, shapes.get(i))),
        output.meaning,
        shapes.get(result));
    return graph.message();
  }

  private static String constant(Graph graph, Trace trace, int number, BatchShape shape) {
    Trace.Constant constant = trace.constant(number);
    Shape fixed = Shape.of(shape.counts());
    return constant.weight() == null
        ? graph.floats(constant.origin(), fixed, constant.values())
        : graph.weight(constant.origin(), fixed, constant::values);
  }

  // Otherwise, programs that run the file would silently use numbers that are not finite.
  private static Tensor finite(String name, Tensor weight) {
    NonFinite.in(weight)
        .ifPresent(
            found -> {
              throw new IllegalArgumentException("[onnx] %s holds %s".formatted(name, found));
            });
    return weight;
  }

  private Trace trace(int batch) {
    Map<String, Parameter> state = layer.state();
    Map<Tensor, String> weights = new IdentityHashMap<>();
    state.forEach((name, parameter) -> weights.put(finite(name, parameter.value()), name));
    Device device =
        state.values().stream().findFirst().map(p -> p.value().device()).orElse(Device.cpu());
    Tensor[] values = new Tensor[inputs.size()];
    for (int i = 0; i < values.length; i++) {
      // Any number will do, because the network's operations do not depend on it.
      values[i] = Tensor.full(device, inputs.get(i).batch(batch), DataType.F32, 0.5);
    }
    return new Trace(function, values, weights);
  }
}
