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

class SongUNetTest {
  private static final Rng RNG = Rng.of(1);

  private static SongUNet.Builder small() {
    return SongUNet.of(16, 2, 3).width(8).multipliers(1, 2).blocks(1).attention(8);
  }

  @Test
  void agreesWithPyTorch() throws IOException {
    GoldenNetwork.check("song_unet", small().dropout(0).build(RNG));
  }

  @Test
  void agreesWithPyTorchWithoutLabels() throws IOException {
    GoldenNetwork.check(
        "song_unet_plain",
        SongUNet.of(8, 1, 1)
            .width(8)
            .multipliers(1, 1)
            .blocks(2)
            .attention()
            .augment(0)
            .dropout(0)
            .build(RNG));
  }

  @Test
  void hasThePublishedNumberOfParametersForDiffusionPde() {
    assertEquals(54_412_034, SongUNet.of(128, 2, 2).build(RNG).parameterCount());
  }

  @Test
  void hasThePublishedNumberOfParametersForCifar() {
    assertEquals(55_733_891, SongUNet.of(32, 3, 3).build(RNG).parameterCount());
  }

  @Test
  void startsNearZero() {
    SongUNet net = small().build(RNG);
    Tensor y = net.apply(Rng.of(2).normal(Shape.of(1, 2, 16, 16)), Tensor.zeros(1));
    assertTrue(y.abs().max(false).item() < 1e-3);
  }

  @Test
  void dropoutDependsOnTheGeneratorAlone() {
    SongUNet net = small().dropout(0.5).build(RNG);
    // the blocks start too small for dropout to show
    net.parameters()
        .forEach((name, p) -> p.assign(Rng.of(3).split(name).normal(p.shape()).mul(0.2)));
    Tensor x = Rng.of(2).normal(Shape.of(1, 2, 16, 16));
    Tensor noise = Tensor.zeros(1);
    float[] quiet = net.apply(x, noise).toFloats();
    net.training(true);
    assertThrows(IllegalStateException.class, () -> net.apply(x, noise));
    net.draw(Rng.of(4));
    float[] first = net.apply(x, noise).toFloats();
    assertArrayEquals(first, net.apply(x, noise).toFloats());
    assertTrue(!Arrays.equals(first, quiet));
    net.draw(Rng.of(5));
    assertTrue(!Arrays.equals(first, net.apply(x, noise).toFloats()));
    net.training(false);
    assertArrayEquals(quiet, net.apply(x, noise).toFloats());
  }

  @Test
  void refusesWhatDoesNotFit() {
    SongUNet net = small().augment(0).build(RNG);
    Tensor x = Tensor.zeros(1, 2, 16, 16);
    Tensor one = Tensor.zeros(1);
    assertThrows(ShapeException.class, () -> net.run(x));
    assertThrows(ShapeException.class, () -> net.apply(x, one, Tensor.zeros(1, 9)));
    assertThrows(ShapeException.class, () -> net.apply(x, Tensor.zeros(2)));
    assertThrows(ShapeException.class, () -> net.apply(Tensor.zeros(1, 2, 15, 16), one));
    assertThrows(IllegalArgumentException.class, () -> small().width(6).build(RNG));
    assertThrows(IllegalArgumentException.class, () -> SongUNet.of(6, 1, 1).build(RNG));
  }
}
