package io.perflow.nn;

import io.perflow.autograd.GradCheck;
import io.perflow.autograd.Gradients;
import io.perflow.autograd.Tape;
import io.perflow.fixtures.Close;
import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.GroupNormSpec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Gradients of every layer in double precision, against central differences. */
class GradientsTest {
  static Set<String> layers() {
    return TorchLayersTest.layers().keySet();
  }

  @ParameterizedTest
  @MethodSource("layers")
  void ofInputsAndParameters(String name) throws IOException {
    TorchFixture fixture = TorchFixture.read(name);
    Layer layer = TorchLayersTest.layers().get(name).get();
    layer.to(DataType.F64);
    layer.parameters().forEach((key, p) -> p.assign(fixture.get("p." + key)));
    List<Tensor> all = new ArrayList<>();
    // differences at 1000 radians per unit of time need the time closer to 0
    double scale = name.equals("time_embedding") ? 1e-3 : 1;
    fixture.inputs(Device.cpu()).forEach(x -> all.add(x.to(DataType.F64).mul(scale)));
    int inputs = all.size();
    all.addAll(layer.values());
    GradCheck.require(
        in -> {
          int at = inputs;
          for (Parameter p : layer.parameters().values()) {
            p.exchange(in[at++]);
          }
          return layer.run(java.util.Arrays.copyOf(in, inputs));
        },
        all.toArray(Tensor[]::new));
  }

  @Test
  void ofTheGradientOfSelfAttention() {
    Tensor qkv = Rng.of(3).normal(Device.cpu(), Shape.of(2, 12, 2, 3), DataType.F64);
    GradCheck.require(
        in -> {
          try (Tape inner = Tape.watching(in[0])) {
            Tensor y = new SelfAttention(2).apply(in[0]);
            return inner.gradients(y.square().sum()).of(in[0]);
          }
        },
        qkv);
  }

  @Test
  void ofAConvolutionThatAddsAnImage() {
    Conv2d conv = Conv2d.of(2, 3, 3).padding(1).build(Rng.of(5));
    conv.to(DataType.F64);
    Rng rng = Rng.of(6);
    GradCheck.require(
        in -> {
          conv.parameters().get("weight").exchange(in[2]);
          return conv.apply(in[0], in[1]);
        },
        rng.normal(Device.cpu(), Shape.of(2, 2, 3, 4), DataType.F64),
        rng.normal(Device.cpu(), Shape.of(2, 3, 3, 4), DataType.F64),
        rng.normal(Device.cpu(), Shape.of(3, 2, 3, 3), DataType.F64));
  }

  @Test
  void ofTheGradientOfANormWithJoinedModulation() {
    GroupNorm norm = GroupNorm.silu(2, 4);
    norm.to(DataType.F64);
    Rng rng = Rng.of(4);
    GradCheck.require(
        in -> {
          try (Tape inner = Tape.watching(in)) {
            return inner.gradients(norm.apply(in[0], in[1]).square().sum()).of(in[1]);
          }
        },
        rng.normal(Device.cpu(), Shape.of(2, 4, 3, 2), DataType.F64),
        rng.normal(Device.cpu(), Shape.of(2, 8), DataType.F64));
  }

  @Test
  void ofABlockOfTwoImages() {
    ResBlock block = ResBlock.of(8, 4, 3).groups(4).build(Rng.of(7));
    Initializer.nonZero(block, Rng.of(8));
    block.to(DataType.F64);
    Rng rng = Rng.of(9);
    GradCheck.require(
        in -> block.apply(in[0], in[1], in[2]),
        rng.split("h").normal(Device.cpu(), Shape.of(2, 5, 3, 4), DataType.F64),
        rng.split("skip").normal(Device.cpu(), Shape.of(2, 3, 3, 4), DataType.F64),
        rng.split("e").normal(Device.cpu(), Shape.of(2, 3), DataType.F64));
  }

  @Test
  void ofANormedConvolutionByOperations() {
    GroupNormSpec spec = new GroupNormSpec(2, 1e-5, true, true, true);
    NormedConv2d op = new NormedConv2d(spec, Conv2dSpec.of(1, 1), 2, true);
    Rng rng = Rng.of(11);
    List<Tensor> in = new ArrayList<>();
    for (Shape shape :
        List.of(
            Shape.of(1, 3, 3, 2),
            Shape.of(1, 1, 3, 2),
            Shape.of(4),
            Shape.of(4),
            Shape.of(1, 8),
            Shape.of(2, 4, 3, 3),
            Shape.of(2),
            Shape.of(1, 2, 3, 2))) {
      in.add(rng.split("" + in.size()).normal(Device.cpu(), shape, DataType.F64));
    }
    Tensor[] inputs = in.toArray(Tensor[]::new);
    Tensor seed = Rng.of(12).normal(Device.cpu(), Shape.of(1, 2, 3, 2), DataType.F64);
    // its rule by operations is the gradient of its composition
    try (Tape outer = Tape.watching(inputs)) {
      Tensor[] rule = op.vjp(new Given(seed, inputs));
      try (Tape tape = Tape.watching(inputs)) {
        Gradients expected = tape.gradients(op.composed(inputs), seed);
        for (int i = 0; i < inputs.length; i++) {
          Close.assertClose("input " + i, expected.of(inputs[i]), rule[i], 1e-12);
        }
      }
    }
  }
}
