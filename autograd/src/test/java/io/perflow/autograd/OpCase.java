package io.perflow.autograd;

import io.perflow.tensor.Device;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.Op;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * An operation with inputs at which its gradient is checked.
 *
 * @param linear whether the result is linear in the moving inputs taken together
 * @param fixed how many of the last inputs are constants, such as positions
 */
record OpCase(Op op, boolean linear, int fixed, Tensor... inputs) {
  static OpCase of(Op op, Tensor... inputs) {
    return new OpCase(op, false, 0, inputs);
  }

  static OpCase linear(Op op, Tensor... inputs) {
    return new OpCase(op, true, 0, inputs);
  }

  OpCase fixing(int last) {
    return new OpCase(op, linear, last, inputs);
  }

  /** The inputs that move. */
  Tensor[] moving() {
    return Arrays.copyOf(inputs, inputs.length - fixed);
  }

  /** The operation as a function of the inputs that move. */
  Function<Tensor[], Tensor> function() {
    return in -> {
      Tensor[] all = inputs.clone();
      System.arraycopy(in, 0, all, 0, in.length);
      return op.apply(all);
    };
  }

  /** This on another device or in another layout. */
  OpCase map(UnaryOperator<Tensor> change) {
    return new OpCase(op, linear, fixed, Arrays.stream(inputs).map(change).toArray(Tensor[]::new));
  }

  /** This on both CPU backends in three layouts each, with a name for each. */
  List<Variant> variants() {
    List<Variant> variants = new ArrayList<>();
    for (Device device : List.of(Device.reference(), Device.cpu())) {
      OpCase here = map(t -> t.to(device));
      variants.add(new Variant(label(device, "dense"), here));
      variants.add(new Variant(label(device, "strided"), here.map(Samples::strided)));
      variants.add(new Variant(label(device, "backwards"), here.map(Samples::backwards)));
    }
    return variants;
  }

  private String label(Device device, String layout) {
    List<String> shapes = Arrays.stream(inputs).map(t -> t.shape().toString()).toList();
    return "%s %s of %s, %s on %s".formatted(op.name(), attributes(), shapes, layout, device);
  }

  private String attributes() {
    return op.toString().replaceAll("\\[I@[0-9a-f]+", "[…]");
  }

  /** A case with its name in listings. */
  record Variant(String name, OpCase test) {}
}
