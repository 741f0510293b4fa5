package io.perflow.nn.onnx;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.Expand;
import io.perflow.tensor.op.Fused;
import io.perflow.tensor.op.Op;
import io.perflow.tensor.op.Recorder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.Function;

/**
 * The operations by which a function computes its result from its inputs, in the order in which
 * they ran.
 *
 * <p>Tensors are numbered: the inputs first, then constants and results as they appear. Of the
 * values that depend on no input, only those that an operation uses are recorded, as constants.
 */
final class Trace implements Recorder {
  /** An operation and the numbers of its tensors. */
  record Step(Op op, int[] inputs, int output) {}

  /**
   * A tensor that depends on no input.
   *
   * @param origin dotted name of the weight that it is or was computed from; empty for none
   * @param weight the weight itself; null for a computed constant
   * @param numbers the computed numbers; null for a weight, which is read when it is written
   */
  record Constant(String origin, Tensor weight, float[] numbers) {
    float[] values() {
      return weight == null ? numbers : weight.toFloats();
    }

    boolean sameAs(Constant other) {
      return weight == other.weight && Arrays.equals(numbers, other.numbers);
    }
  }

  private final Map<Tensor, String> weights;
  private final List<Step> steps = new ArrayList<>();
  private final List<Shape> shapes = new ArrayList<>();
  private final Map<Integer, Constant> constants = new HashMap<>();
  private final int output;

  // Tensors compare by identity. The maps are weak because an unreachable tensor cannot be an
  // input of a later operation.
  private final Map<Tensor, Integer> numbers = new WeakHashMap<>();
  private final Map<Tensor, String> origins = new WeakHashMap<>();

  /**
   * Runs a function and records its operations.
   *
   * @param weights the dotted names of tensors
   */
  Trace(Function<Tensor[], Tensor> function, Tensor[] inputs, Map<Tensor, String> weights) {
    this.weights = weights;
    for (Tensor input : inputs) {
      number(input);
    }
    Recorder before = Recorder.install(this);
    try (Scope _ = Scope.open()) {
      output = numberOf(function.apply(inputs.clone()));
    } finally {
      Recorder.install(before);
    }
  }

  List<Step> steps() {
    return steps;
  }

  /** Returns the number of the function's result. */
  int output() {
    return output;
  }

  /** Returns the constant of a number, or null. */
  Constant constant(int number) {
    return constants.get(number);
  }

  @Override
  public void record(Op op, Tensor[] inputs, Tensor[] outputs) {
    if (outputs[0].type() != DataType.F32) {
      throw new IllegalArgumentException(
          "[onnx] %s computes in %s; only networks in F32 are exported"
              .formatted(op.name(), outputs[0].type()));
    }
    // An expanded tensor may get the extent of the batch, so it is never a constant.
    if (!(op instanceof Expand) && Arrays.stream(inputs).noneMatch(numbers::containsKey)) {
      fold(op, inputs, outputs[0]);
      return;
    }
    if (op instanceof Fused fused) {
      try (Scope _ = Scope.open()) {
        numbers.put(outputs[0], numberOf(fused.composed(inputs))); // which is recorded itself
      }
      return;
    }
    int[] from = Arrays.stream(inputs).mapToInt(this::numberOf).toArray();
    steps.add(new Step(op, from, number(outputs[0])));
  }

  private void fold(Op op, Tensor[] inputs, Tensor output) {
    for (Tensor input : inputs) {
      String origin = origin(input);
      if (!origin.isEmpty()) {
        origins.put(output, weights.containsKey(input) ? origin + "/" + op.name() : origin);
        return;
      }
    }
  }

  private String origin(Tensor tensor) {
    String name = weights.get(tensor);
    return name == null ? origins.getOrDefault(tensor, "") : name;
  }

  // The value of a constant is read now, because its memory may be reused as soon as its scope
  // closes.
  private int numberOf(Tensor tensor) {
    Integer known = numbers.get(tensor);
    if (known != null) {
      return known;
    }
    boolean weight = weights.containsKey(tensor);
    int number = number(tensor);
    constants.put(
        number,
        new Constant(origin(tensor), weight ? tensor : null, weight ? null : tensor.toFloats()));
    return number;
  }

  private int number(Tensor tensor) {
    int number = shapes.size();
    numbers.put(tensor, number);
    shapes.add(tensor.shape());
    return number;
  }

  /**
   * Returns the shapes of all tensors in any batch, from this run with {@link BatchShape#FEW} and
   * another one with {@link BatchShape#MANY}.
   *
   * @throws IllegalArgumentException when the function runs other operations for another batch
   */
  List<BatchShape> joined(Trace many) {
    requireSame(many);
    List<BatchShape> all = new ArrayList<>();
    for (int i = 0; i < shapes.size(); i++) {
      all.add(BatchShape.of(shapes.get(i), many.shapes.get(i)));
      if (constants.containsKey(i) && !constants.get(i).sameAs(many.constants.get(i))) {
        throw new IllegalArgumentException(
            "[onnx] the network computes with a constant of shape %s that depends on the batch"
                .formatted(all.get(i)));
      }
    }
    return all;
  }

  private void requireSame(Trace many) {
    boolean same = steps.size() == many.steps.size() && shapes.size() == many.shapes.size();
    for (int i = 0; same && i < steps.size(); i++) {
      Step a = steps.get(i);
      Step b = many.steps.get(i);
      same =
          a.op.name().equals(b.op.name())
              && a.output == b.output
              && Arrays.equals(a.inputs, b.inputs);
    }
    if (!same || output != many.output || !constants.keySet().equals(many.constants.keySet())) {
      throw new IllegalArgumentException(
          "[onnx] the network runs other operations for a batch of %d than for one of %d"
              .formatted(BatchShape.MANY, BatchShape.FEW));
    }
  }
}
