package io.perflow.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.perflow.autograd.Gradients;
import io.perflow.autograd.Tape;
import io.perflow.cuda.emulator.EmulatedDriver;
import io.perflow.cuda.emulator.Emulator;
import io.perflow.fixtures.Close;
import io.perflow.nn.Initializer;
import io.perflow.nn.optim.Optimizer;
import io.perflow.nn.optim.Sgd;
import io.perflow.nn.unet.UNet;
import io.perflow.nn.unet.UNetConfig;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The tiny U-Net on the emulated device, against the same network in double on the CPU. */
class UNetOnGpuTest {
  private static final Shape IMAGES = Shape.of(2, 3, 16, 16);

  /** A network with its inputs, the same numbers on every device and in every type. */
  private record Setting(UNet net, Tensor x, Tensor t, Tensor target) {
    static Setting on(Device device, DataType type) {
      UNet net = UNet.of(UNetConfig.tiny(), Rng.of(42));
      Initializer.nonZero(net, Rng.of(7)); // so that no gradient hides behind a zero
      net.to(type);
      net.to(device);
      Rng rng = Rng.of(1);
      return new Setting(
          net,
          rng.split("x").normal(IMAGES).to(type).to(device),
          rng.split("t").uniform(Shape.of(2)).to(type).to(device),
          rng.split("y").normal(IMAGES.with(1, 1)).to(type).to(device));
    }

    Tensor loss() {
      return net.apply(x, t).sub(target).square().mean();
    }

    /** Gradients of the loss, then the parameters after a step along them. */
    Map<String, Tensor> train(Optimizer optimizer) {
      Map<String, Tensor> seen = new TreeMap<>();
      try (Scope scope = Scope.open();
          Tape tape = Tape.watching(net.values())) {
        Tensor loss = loss();
        Gradients gradients = tape.gradients(loss);
        optimizer.step(gradients);
        seen.put("loss", scope.keep(loss));
        net.parameters()
            .forEach((name, p) -> seen.put("d " + name, scope.keep(gradients.of(p.value()))));
      }
      return seen;
    }
  }

  @Test
  void forwardAgrees() {
    Setting exact = Setting.on(Device.cpu(), DataType.F64);
    Setting single = Setting.on(Emulated.device(), DataType.F32);
    Close.assertClose(
        "u-net", exact.net.apply(exact.x, exact.t), single.net.apply(single.x, single.t), 1e-5);
  }

  @Test
  void trainingAgrees() {
    Setting exact = Setting.on(Device.cpu(), DataType.F64);
    Setting single = Setting.on(Emulated.device(), DataType.F32);
    Optimizer exactDescent = Sgd.of(0.05).momentum(0.9).build(exact.net.parameters());
    Optimizer singleDescent = Sgd.of(0.05).momentum(0.9).build(single.net.parameters());
    for (int step = 0; step < 2; step++) {
      Map<String, Tensor> expected = exact.train(exactDescent);
      Map<String, Tensor> actual = single.train(singleDescent);
      assertEquals(expected.keySet(), actual.keySet());
      String when = " in step " + step;
      expected.forEach((name, e) -> Close.assertClose(name + when, e, actual.get(name), 2e-4));
    }
    exact
        .net
        .parameters()
        .forEach(
            (name, p) ->
                Close.assertClose(
                    name, p.value(), single.net.parameters().get(name).value(), 2e-5));
  }

  // What a step costs does not depend on the machine, so the numbers are exact: a change that costs
  // more must say so in the file, one that costs less must claim it there.
  @Test
  void stepsStayWithinTheirBudget() throws IOException {
    // its own: tests that run beside this one launch kernels on the device they share
    Device device = Emulator.over(EmulatedDriver.create());
    Setting setting = Setting.on(device, DataType.F32);
    Optimizer descent = Sgd.of(0.05).momentum(0.9).build(setting.net.parameters());
    CudaBackend backend = Emulated.backend(device);
    Properties actual = new Properties();
    for (int pass = 0; pass < 2; pass++) { // the second finds filters packed, as in sampling
      Traffic before = backend.traffic();
      try (Scope _ = Scope.open()) {
        setting.net.apply(setting.x, setting.t);
      }
      note(actual, "forward", backend.traffic().since(before));
    }
    for (int pass = 0; pass < 2; pass++) { // the second finds the optimiser's memory
      Traffic before = backend.traffic();
      setting.train(descent);
      note(actual, "training", backend.traffic().since(before));
    }
    assertEquals(new TreeMap<>(budget()), new TreeMap<>(actual));
  }

  private static void note(Properties actual, String what, Traffic traffic) {
    actual.setProperty(what + ".launches", "" + traffic.launches());
    actual.setProperty(what + ".operandBytes", "" + traffic.operandBytes());
    actual.setProperty(what + ".uploadedBytes", "" + traffic.uploadedBytes());
    actual.setProperty(what + ".downloadedBytes", "" + traffic.downloadedBytes());
  }

  private static Properties budget() throws IOException {
    Properties budget = new Properties();
    try (InputStream in = UNetOnGpuTest.class.getResourceAsStream("unet-budget.properties")) {
      budget.load(in);
    }
    return budget;
  }
}
