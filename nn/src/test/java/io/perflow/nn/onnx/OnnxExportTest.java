package io.perflow.nn.onnx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.TensorInfo;
import io.perflow.fixtures.Close;
import io.perflow.fixtures.OnnxRun;
import io.perflow.nn.Initializer;
import io.perflow.nn.Layer;
import io.perflow.nn.Linear;
import io.perflow.nn.UnaryLayer;
import io.perflow.nn.operator.ConditionalFno;
import io.perflow.nn.operator.FactorizedFno;
import io.perflow.nn.operator.Fno;
import io.perflow.nn.unet.ClassicUNet;
import io.perflow.nn.unet.SongUNet;
import io.perflow.nn.unet.UNet;
import io.perflow.nn.unet.UNetConfig;
import io.perflow.nn.unet.VideoUNet;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Exported networks give in ONNX Runtime what they give here. */
class OnnxExportTest {
  private static final double TOLERANCE = 1e-4; // of the largest number of the output
  private static final Rng RNG = Rng.of(5);

  @TempDir Path directory;

  static Stream<Arguments> unets() {
    return Stream.of(
        Arguments.of("tiny", UNetConfig.tiny(), 12, 20),
        Arguments.of("tiny, periodic", UNetConfig.tiny().periodic(true, true), 16, 8),
        Arguments.of("periodic width", UNetConfig.periodic(), 16, 24),
        Arguments.of("periodic height", UNetConfig.periodic().periodic(true, false), 24, 16),
        Arguments.of("small", UNetConfig.small(), 32, 32),
        Arguments.of("small, periodic", UNetConfig.small().periodic(true, true), 32, 32),
        Arguments.of("base", UNetConfig.base(), 16, 16));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("unets")
  void unets(String name, UNetConfig config, int h, int w) throws Exception {
    UNet net = UNet.of(config, RNG);
    Initializer.nonZero(net, RNG.split("weights"));
    OnnxExport export =
        OnnxExport.of(net).input("x", config.inChannels(), h, w).input("t").output("velocity");
    compare(net, export, shape(config.inChannels(), h, w), shape());
  }

  static Stream<Arguments> operators() {
    return Stream.of(
        Arguments.of(Fno.of1d(2, 1).modes(6).width(12).padding(3).build(RNG), shape(2, 33)),
        Arguments.of(Fno.of2d(1, 2).modes(5).width(8).build(RNG), shape(1, 16, 24)),
        Arguments.of(Fno.of2d(1, 2).modes(5).width(8).padding(4).build(RNG), shape(1, 17, 15)),
        Arguments.of(
            FactorizedFno.of(2, 1).width(16).modes(5).layers(3).build(RNG), shape(2, 16, 12)),
        Arguments.of(
            FactorizedFno.of(2, 1).width(16).modes(5).layers(3).shared(false).build(RNG),
            shape(2, 12, 16)),
        Arguments.of(ClassicUNet.of(2, 1, 8, 2, RNG), shape(2, 16, 12)));
  }

  @ParameterizedTest
  @MethodSource("operators")
  void operatorsAndSurrogates(Layer net, int[] shape) throws Exception {
    Initializer.nonZero(net, RNG.split("r"));
    compare(net, OnnxExport.of(net).input("x", shape), shape);
  }

  @Test
  void networksOfOtherInputs() throws Exception {
    ConditionalFno fno = ConditionalFno.of(Fno.of2d(3, 1).modes(4).width(8), RNG);
    OnnxExport both = OnnxExport.of(fno).input("y", 2, 16, 16).input("mask", 1, 16, 16);
    compare(fno, both, shape(2, 16, 16), shape(1, 16, 16));

    SongUNet song = SongUNet.of(16, 2, 2).width(16).multipliers(1, 2).blocks(1).build(RNG);
    Initializer.nonZero(song, RNG.split("r"));
    OnnxExport noise = OnnxExport.of(song).input("x", 2, 16, 16).input("noise");
    compare(song, noise, shape(2, 16, 16), shape());

    VideoUNet video =
        VideoUNet.of(2, 2).width(8).groups(4).multipliers(1, 2).attention(2).blocks(1).build(RNG);
    Initializer.nonZero(video, RNG.split("r"));
    OnnxExport frames =
        OnnxExport.of(video).input("x", 3, 2, 16, 16).input("noise").input("marks", 3);
    compare(video, frames, shape(3, 2, 16, 16), shape(), shape(3));
  }

  @Test
  void theFileSaysWhatItHolds() throws Exception {
    UNet net = UNet.of(UNetConfig.tiny(), RNG);
    Path file = directory.resolve("net.onnx");
    OnnxExport.of(net, in -> net.apply(Tensor.concat(1, in[0], in[2]), in[1]))
        .input("state", "where the flow is", 1, 8, 8)
        .input("time", "from 0 to 1")
        .input("condition", "what is known", 2, 8, 8)
        .output("velocity", "where it goes")
        .note("grid", "8 x 8")
        .write(file);
    try (OnnxRun run = new OnnxRun(Files.readAllBytes(file))) {
      OrtSession session = run.session();
      assertEquals(List.of("state", "time", "condition"), List.copyOf(session.getInputNames()));
      assertEquals(List.of("velocity"), List.copyOf(session.getOutputNames()));
      TensorInfo state = (TensorInfo) session.getInputInfo().get("state").getInfo();
      assertEquals(List.of(-1L, 1L, 8L, 8L), Arrays.stream(state.getShape()).boxed().toList());
      assertEquals("batch", state.getDimensionNames()[0]);
      assertEquals("perflow-nn", session.getMetadata().getProducerName());
      assertEquals("8 x 8", session.getMetadata().getCustomMetadata().get("grid"));
    }
    String bytes = Files.readString(file, java.nio.charset.StandardCharsets.ISO_8859_1);
    for (String weight : net.parameters().keySet()) {
      assertTrue(bytes.contains(weight), weight);
    }
    assertEquals(List.of(file), list());
  }

  @Test
  void anOperationWithoutFormIsNamedAndNothingIsWritten() throws IOException {
    Layer spectrum =
        new UnaryLayer() {
          @Override
          protected Tensor forward(Tensor x) {
            return io.perflow.tensor.Fourier.rfft(x, 1);
          }
        };
    OnnxExport export = OnnxExport.of(spectrum).input("x", 8);
    assertEquals(
        "[onnx] operation rfft has no ONNX form",
        assertThrows(
                IllegalArgumentException.class, () -> export.write(directory.resolve("a.onnx")))
            .getMessage());
    assertEquals(List.of(), list());
  }

  @Test
  void whatDependsOnTheBatchIsRefused() {
    Layer mean =
        new UnaryLayer() {
          @Override
          protected Tensor forward(Tensor x) {
            return x.sub(x.mean(true, 0));
          }
        };
    assertEquals(
        "[onnx] the network computes with a constant of shape [] that depends on the batch",
        assertThrows(
                IllegalArgumentException.class, () -> OnnxExport.of(mean).input("x", 8).toBytes())
            .getMessage());
    Layer half =
        new UnaryLayer() {
          @Override
          protected Tensor forward(Tensor x) {
            return x.slice(0, 0, 1);
          }
        };
    assertEquals(
        "[onnx] operation slice along the batch, axis 0 of [n, 8], has no ONNX form",
        assertThrows(
                IllegalArgumentException.class, () -> OnnxExport.of(half).input("x", 8).toBytes())
            .getMessage());
  }

  @Test
  void weightsThatAreNotFiniteAreNotWritten() {
    Linear linear = Linear.of(2, 1).build(RNG);
    linear.parameters().get("weight").assign(Tensor.of(new float[] {1, Float.NaN}, 1, 2));
    String message =
        assertThrows(
                IllegalArgumentException.class, () -> OnnxExport.of(linear).input("x", 2).toBytes())
            .getMessage();
    assertTrue(message.startsWith("[onnx] weight holds "), message);
  }

  @Test
  void elementwiseFunctionsAndReductions() throws Exception {
    Layer all =
        new UnaryLayer() {
          @Override
          protected Tensor forward(Tensor x) {
            Tensor y = x.square().add(1).sqrt().log().add(x.tanh()).add(x.gelu()).sub(x.relu());
            y = y.mul(x.abs().neg().exp()).maximum(-2).minimum(x.sigmoid().add(3));
            y = y.add(x.square().add(1).rsqrt()).addScaled(x.flip(1), 0.25);
            y = y.add(x.greater(0).where(x.sin(), x.cos())).add(x.less(0.5).mul(0.1));
            y = y.add(x.cumsum(2)).sub(x.max(true, 1)).add(x.min(true, 2)).div(x.pow(2).add(1));
            y = y.add(x.sum(true, 2)).add(x.matmul(x.transpose()).softmax().matmul(x));
            return y.slice(2, 1, 3, 2).pad(2, 1, 2).gather(2, 5, 0, 1).permute(2, 0, 1);
          }
        };
    compare(all, OnnxExport.of(all).input("x", 4, 6), shape(4, 6));
    Linear linear = Linear.of(6, 5).build(RNG);
    compare(linear, OnnxExport.of(linear).input("x", 4, 6), shape(4, 6));
  }

  private List<Path> list() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.toList();
    }
  }

  private static int[] shape(int... extents) {
    return extents;
  }

  private static void compare(Layer net, OnnxExport export, int[]... shapes) throws OrtException {
    try (OnnxRun run = new OnnxRun(export.toBytes())) {
      for (int batch : new int[] {1, 2, 3, 5}) {
        Tensor[] inputs = new Tensor[shapes.length];
        for (int i = 0; i < inputs.length; i++) {
          Shape shape = Shape.of(shapes[i]).insert(0, batch);
          Rng own = RNG.split("input").split(i).split(batch);
          inputs[i] = shapes[i].length == 0 ? own.uniform(shape) : own.normal(shape);
        }
        Close.assertClose("batch " + batch, net.run(inputs), run.run(inputs), TOLERANCE);
      }
    }
  }
}
