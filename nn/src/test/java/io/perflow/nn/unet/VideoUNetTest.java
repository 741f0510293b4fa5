package io.perflow.nn.unet;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.nn.GoldenNetwork;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.ShapeException;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class VideoUNetTest {
  private static final Rng RNG = Rng.of(1);

  private static VideoUNet.Builder small() {
    return VideoUNet.of(2, 2).width(4).multipliers(1, 2).blocks(1).attention(2).heads(2).groups(2);
  }

  private static VideoUNet randomized(VideoUNet net) {
    net.parameters()
        .forEach((name, p) -> p.assign(Rng.of(3).split(name).normal(p.shape()).mul(0.3)));
    return net;
  }

  @Test
  void agreesWithPyTorch() throws IOException {
    GoldenNetwork.check("video_unet", small().dropout(0).build(RNG));
  }

  @Test
  void hasAsManyParametersAsThePyTorchNetworkAtFullSize() {
    assertEquals(17_639_810, VideoUNet.of(2, 2).build(RNG).parameterCount());
  }

  @Test
  void framesMeetInAttentionOnly() {
    Tensor x = Rng.of(2).normal(Shape.of(1, 3, 2, 8, 8));
    Tensor changed = Tensor.concat(1, x.slice(1, 0, 2), x.slice(1, 2, 3).mul(2));
    Tensor noise = Tensor.ones(1);
    Tensor marks = Tensor.zeros(1, 3);
    VideoUNet net = small().build(RNG);
    net.parameters()
        .forEach(
            (name, p) -> {
              if (!name.contains("attention")) {
                p.assign(Rng.of(3).split(name).normal(p.shape()).mul(0.3));
              }
            });
    // attention starts as nothing
    float[] before = net.apply(x, noise, marks).slice(1, 0, 2).toFloats();
    assertArrayEquals(before, net.apply(changed, noise, marks).slice(1, 0, 2).toFloats());
    randomized(net);
    before = net.apply(x, noise, marks).slice(1, 0, 2).toFloats();
    float[] after = net.apply(changed, noise, marks).slice(1, 0, 2).toFloats();
    assertTrue(!Arrays.equals(before, after));
  }

  @Test
  void dropoutNeedsAGeneratorInTraining() {
    VideoUNet net = randomized(small().dropout(0.5).build(RNG));
    Tensor x = Rng.of(2).normal(Shape.of(1, 2, 2, 4, 4));
    Tensor[] inputs = {x, Tensor.ones(1), Tensor.zeros(1, 2)};
    net.training(true);
    assertThrows(IllegalStateException.class, () -> net.run(inputs));
    net.draw(Rng.of(4));
    float[] first = net.run(inputs).toFloats();
    assertArrayEquals(first, net.run(inputs).toFloats());
    net.draw(Rng.of(5));
    assertTrue(!Arrays.equals(first, net.run(inputs).toFloats()));
  }

  @Test
  void refusesWhatDoesNotFit() {
    VideoUNet net = small().build(RNG);
    Tensor x = Tensor.zeros(1, 3, 2, 8, 8);
    Tensor one = Tensor.ones(1);
    assertThrows(ShapeException.class, () -> net.run(x, one));
    assertThrows(ShapeException.class, () -> net.apply(x, one, Tensor.zeros(1, 2)));
    assertThrows(
        ShapeException.class,
        () -> net.apply(Tensor.zeros(1, 3, 2, 8, 7), one, Tensor.zeros(1, 3)));
    assertThrows(IllegalArgumentException.class, () -> small().heads(3).build(RNG));
  }
}
