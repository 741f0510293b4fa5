package io.perflow.nn;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.ShapeException;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A function from tensors to a tensor, with parameters of its own and those of the layers inside
 * it.
 *
 * <p>Parameters have dotted names that join the names of the enclosing layers, {@code
 * down.0.res.1.conv1.weight}, as PyTorch names them in the same network. A layer registers its
 * parts in its constructor, with {@link #parameter} and {@link #child}, and computes in {@link
 * #forward}:
 *
 * <pre>{@code
 * final class Doubled extends UnaryLayer {
 *   private final Linear inner;
 *
 *   Doubled(Rng rng) {
 *     inner = child("inner", Linear.of(8, 8).build(rng.split("inner")));
 *   }
 *
 *   protected Tensor forward(Tensor x) {
 *     return inner.apply(x).mul(2);
 *   }
 * }
 * }</pre>
 *
 * <p>A layer with one input extends {@link UnaryLayer}, a layer with a second input such as the
 * time extends {@link BinaryLayer}: the compiler then checks the number of inputs. Other layers
 * extend this class and declare their own {@code apply}, which calls {@link #run}.
 *
 * <p>The same inputs and parameters give the same output; there is no hidden state except the
 * buffers that a layer declares, and randomness is an argument.
 *
 * <p>Any number of threads may run a layer at once as long as none trains it; {@link Weights#load}
 * and {@link #to} wait for those that {@link #hold} it.
 */
public abstract class Layer {
  private final Map<String, Parameter> parameters = new LinkedHashMap<>();
  private final Map<String, Parameter> buffers = new LinkedHashMap<>();
  private final Map<String, Layer> children = new LinkedHashMap<>();
  private Layer parent;
  private String name = "";
  private boolean training;
  // The lock of the outermost layer. It is fair: otherwise a thread that loads weights could wait
  // for ever while others draw one sample after another.
  private final ReentrantReadWriteLock use = new ReentrantReadWriteLock(true);

  /** Creates a layer; for subclasses. */
  protected Layer() {}

  // ---- for implementations

  /** Computes the output; each layer documents its inputs. */
  protected abstract Tensor forward(Tensor... inputs);

  /**
   * Checks that the number of inputs lies between two bounds, in {@link #forward} of layers with
   * varying inputs.
   *
   * @throws ShapeException when there are fewer or more
   */
  protected final void takes(int least, int most, Tensor... inputs) {
    if (inputs.length < least || inputs.length > most) {
      String bounds = least == most ? "" + least : least + " to " + most;
      throw new ShapeException(
          getClass().getSimpleName(),
          "takes %s input%s, %d given%s"
              .formatted(bounds, most == 1 ? "" : "s", inputs.length, where()));
    }
  }

  /**
   * Returns the number of multiply-adds of this layer for an output, without those of its children.
   */
  protected long multiplyAdds(Tensor[] inputs, Tensor output) {
    return 0;
  }

  /** Registers a trainable tensor under a name without dots. */
  protected final Parameter parameter(String name, Tensor value) {
    return register(parameters, name, value);
  }

  /** Registers a tensor that is saved but not trained, such as a running average. */
  protected final Parameter buffer(String name, Tensor value) {
    return register(buffers, name, value);
  }

  private Parameter register(Map<String, Parameter> map, String name, Tensor value) {
    if (parameters.containsKey(name) || buffers.containsKey(name)) {
      throw new IllegalArgumentException("layer has two parameters named " + name);
    }
    Parameter parameter = new Parameter(name, value);
    map.put(name, parameter);
    return parameter;
  }

  /**
   * Registers a layer inside this one. The name may contain dots; an empty name adds nothing to the
   * names inside the layer.
   */
  protected final <L extends Layer> L child(String name, L layer) {
    Layer inside = layer;
    if (inside.parent != null) {
      throw new IllegalArgumentException(
          "layer %s already belongs to another layer as %s".formatted(name, layer.path()));
    }
    if (children.putIfAbsent(name, layer) != null) {
      throw new IllegalArgumentException("layer has two children named " + name);
    }
    inside.parent = this;
    inside.name = name;
    return layer;
  }

  /** Returns whether the layer is in training mode, in which it uses batch statistics. */
  protected final boolean training() {
    return training;
  }

  // ---- for users

  /**
   * Runs any layer, for code that does not know its class. Other code calls the layer's own {@code
   * apply}, whose inputs the compiler checks.
   *
   * @throws ShapeException when the layer takes more or fewer inputs, or of other shapes
   */
  public final Tensor run(Tensor... inputs) {
    Tensor output = forward(inputs);
    Observer.Watch.tell(this, inputs, output);
    return output;
  }

  /** Returns the trainable parameters by dotted name, in the order of registration. */
  public final Map<String, Parameter> parameters() {
    Map<String, Parameter> found = new LinkedHashMap<>();
    collect("", found, false);
    return Collections.unmodifiableMap(found);
  }

  /** Returns parameters and buffers by dotted name: everything that a file must hold. */
  public final Map<String, Parameter> state() {
    Map<String, Parameter> found = new LinkedHashMap<>();
    collect("", found, true);
    return Collections.unmodifiableMap(found);
  }

  private void collect(String prefix, Map<String, Parameter> found, boolean withBuffers) {
    parameters.forEach((key, parameter) -> found.put(join(prefix, key), parameter));
    if (withBuffers) {
      buffers.forEach((key, parameter) -> found.put(join(prefix, key), parameter));
    }
    children.forEach((key, layer) -> layer.collect(join(prefix, key), found, withBuffers));
  }

  private static String join(String prefix, String name) {
    return prefix.isEmpty() || name.isEmpty() ? prefix + name : prefix + "." + name;
  }

  /** Returns the tensors of the trainable parameters, for a tape to watch. */
  public final List<Tensor> values() {
    List<Tensor> values = new ArrayList<>();
    parameters().values().forEach(parameter -> values.add(parameter.value()));
    return values;
  }

  /** Returns the number of trainable numbers. */
  public final long parameterCount() {
    return parameters().values().stream().mapToLong(Parameter::size).sum();
  }

  /** Returns how many numbers this layer's own parameters hold, without those of its children. */
  final long ownParameterCount() {
    return parameters.values().stream().mapToLong(Parameter::size).sum();
  }

  /** Returns the dotted name within the outermost layer, which itself has an empty one. */
  public final String path() {
    return parent == null ? name : join(parent.path(), name);
  }

  /**
   * Returns {@code " (layer down.0.conv1)"} for the end of a message, or an empty text for an
   * outermost layer.
   */
  protected final String where() {
    String path = path();
    return path.isEmpty() ? "" : " (layer " + path + ")";
  }

  /** Turns training mode on or off for this layer and all layers inside it (default off). */
  public final void training(boolean on) {
    training = on;
    children.values().forEach(layer -> layer.training(on));
  }

  /**
   * Prevents changes to the parameters of the outermost layer until the returned hold is closed,
   * for computations that run the network many times. Other threads that load or move weights wait
   * until then.
   */
  public final Hold hold() {
    return Hold.reading(outermost().use);
  }

  /** Waits until no other thread holds the network, and then allows changing its parameters. */
  final Hold change() {
    return Hold.changing(outermost().use);
  }

  private Layer outermost() {
    return parent == null ? this : parent.outermost();
  }

  /** Converts all parameters and buffers to a type, such as F64 for gradient checks. */
  public final void to(DataType type) {
    try (Hold _ = change()) {
      state().values().forEach(parameter -> parameter.to(type));
    }
  }

  /** Moves all parameters and buffers to a device. */
  public final void to(Device device) {
    try (Hold _ = change()) {
      state().values().forEach(parameter -> parameter.to(device));
    }
  }
}
