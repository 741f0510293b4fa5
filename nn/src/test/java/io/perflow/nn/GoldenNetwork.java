package io.perflow.nn;

import io.perflow.autograd.Gradients;
import io.perflow.autograd.Tape;
import io.perflow.fixtures.Close;
import io.perflow.fixtures.Resources;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.SafeTensors;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Holds a network against PyTorch's numbers from {@code scripts/nn/networks_golden.py}: outputs in
 * evaluation and training, the gradients of all parameters and inputs, and buffers after the step.
 */
public final class GoldenNetwork {
  private final Layer net;
  private final Map<String, Tensor> golden;
  private final DataType type;
  private final double tolerance;

  private GoldenNetwork(Layer net, Map<String, Tensor> golden, DataType type) {
    this.net = net;
    this.golden = golden;
    this.type = type;
    tolerance = type == DataType.F64 ? 1e-9 : 2e-4;
  }

  /** Loads the weights of a case into the network and compares, in both types. */
  public static void check(String name, Layer net) throws IOException {
    Path file = Resources.path("/nn/" + name + ".safetensors");
    Map<String, Tensor> golden;
    try (SafeTensors open = SafeTensors.read(file)) {
      golden = open.loadAll();
    }
    for (DataType type : DataType.values()) {
      net.to(type);
      Weights.load(file, net);
      new GoldenNetwork(net, golden, type).compare();
    }
  }

  private void compare() {
    List<Tensor> inputs = new ArrayList<>();
    for (int i = 0; golden.containsKey("io/in" + i); i++) {
      inputs.add(golden.get("io/in" + i).to(type));
    }
    Tensor[] array = inputs.toArray(new Tensor[0]);
    net.training(false);
    close("io/eval", net.run(array));
    net.training(true);
    List<Tensor> leaves = new ArrayList<>(inputs);
    leaves.addAll(net.values());
    try (Tape tape = Tape.watching(leaves)) {
      Tensor out = net.run(array);
      close("io/out", out);
      Gradients gradients = tape.gradients(out, golden.get("io/seed").to(type));
      for (int i = 0; i < array.length; i++) {
        close("io/grad" + i, gradients.of(array[i]));
      }
      net.parameters().forEach((name, p) -> close("grad/" + name, gradients.of(p.value())));
    }
    net.state()
        .forEach(
            (name, p) -> {
              if (golden.containsKey("after/" + name)) {
                close("after/" + name, p.value());
              }
            });
  }

  private void close(String name, Tensor actual) {
    Close.assertClose(name + " in " + type, golden.get(name), actual, tolerance);
  }
}
