package io.perflow.nn;

import static io.perflow.fixtures.Close.assertClose;

import io.perflow.autograd.Gradients;
import io.perflow.autograd.Tape;
import io.perflow.fixtures.Resources;
import io.perflow.tensor.Device;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.SafeTensors;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Numbers of PyTorch for one layer: inputs, parameters, output, gradients of mean(y^2). */
public record TorchFixture(Map<String, Tensor> numbers) {
  public static TorchFixture read(String name) throws IOException {
    try (SafeTensors file = SafeTensors.read(Resources.path("/nn/" + name + ".safetensors"))) {
      return new TorchFixture(file.loadAll());
    }
  }

  public Tensor get(String name) {
    return numbers.get(name);
  }

  /** The inputs x.0, x.1 … */
  public List<Tensor> inputs(Device device) {
    List<Tensor> inputs = new ArrayList<>();
    while (numbers.containsKey("x." + inputs.size())) {
      inputs.add(numbers.get("x." + inputs.size()).to(device));
    }
    return inputs;
  }

  /** Gives the layer the fixture's parameters and requires its output and all gradients. */
  void check(Layer layer, Device device, double tolerance) {
    layer.to(device);
    layer.parameters().forEach((name, p) -> p.assign(numbers.get("p." + name)));
    List<Tensor> inputs = inputs(device);
    List<Tensor> watched = new ArrayList<>(layer.values());
    watched.addAll(inputs);
    try (Tape tape = Tape.watching(watched)) {
      Tensor y = layer.run(inputs.toArray(Tensor[]::new));
      assertClose("output", get("y"), y, tolerance);
      Gradients gradients = tape.gradients(y.square().mean());
      for (int i = 0; i < inputs.size(); i++) {
        assertClose(
            "gradient of input " + i, get("gx." + i), gradients.of(inputs.get(i)), tolerance);
      }
      layer
          .parameters()
          .forEach(
              (name, p) ->
                  assertClose(
                      "gradient of " + name,
                      get("gp." + name),
                      gradients.of(p.value()),
                      tolerance));
    }
  }
}
