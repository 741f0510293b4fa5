package io.perflow.tensor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.perflow.tensor.op.Attention;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The messages that users read after typical mistakes. */
class ShapeErrorTest {
  private static final Tensor X = Tensor.zeros(8, 3, 64, 64);
  private static final Conv2dSpec SAME = Conv2dSpec.of(1, 1);

  @ParameterizedTest(name = "{0}")
  @MethodSource("mistakes")
  void message(Executable mistake, String message) {
    assertEquals(message, assertThrows(ShapeException.class, mistake).getMessage());
  }

  private static Stream<Arguments> mistakes() {
    return Stream.of(
        mistake(
            "data of another size",
            () -> Tensor.of(new float[5], 2, 3),
            "[tensor] shape [2, 3] has 6 elements, 5 given"),
        mistake("negative extent", () -> Tensor.zeros(2, -3), "[shape] negative extent in [2, -3]"),
        mistake(
            "too many elements",
            () -> Tensor.zeros(65536, 65536),
            "[shape] [65536, 65536] has more elements than an array can hold (2^31 - 9); split the"
                + " batch"),
        mistake(
            "broadcast",
            () -> X.add(Tensor.zeros(3)),
            "[add] shapes [8, 3, 64, 64] and [3] do not broadcast: axis -1 is 64 and 3"),
        mistake(
            "types",
            () -> X.mul(Tensor.of(new double[] {1, 2}, 2)),
            "[mul] types differ: F32 [8, 3, 64, 64] and F64 [2]; convert one with to(F32)"),
        mistake(
            "devices",
            () -> X.mul(Tensor.full(Device.reference(), Shape.of(), DataType.F32, 2)),
            "[mul] devices differ: cpu and reference; move one with to(device)"),
        mistake(
            "axis outside",
            () -> X.sum(4),
            "[sum] axis 4 is outside shape [8, 3, 64, 64] with 4 axes"),
        mistake(
            "axis twice",
            () -> X.sum(1, -3),
            "[sum] axis -3 is named twice for shape [8, 3, 64, 64]"),
        mistake(
            "inner sizes",
            () -> Tensor.zeros(2, 3).matmul(Tensor.zeros(4, 5)),
            "[matmul] inner sizes differ: left [2, 3] has 3, right [4, 5] has 4"),
        mistake(
            "matrix times vector",
            () -> Tensor.zeros(2, 3).matmul(Tensor.zeros(3)),
            "[matmul] needs at least two axes each, got [2, 3] and [3]"),
        mistake(
            "reshape",
            () -> Tensor.zeros(4, 6).reshape(5, 5),
            "[reshape] [4, 6] has 24 elements, [5, 5] has 25"),
        mistake(
            "reshape to the rest",
            () -> Tensor.zeros(4, 6).reshape(5, -1),
            "[reshape] [5, -1] does not divide the 24 elements of [4, 6]"),
        mistake(
            "permute",
            () -> X.permute(0, 2, 3),
            "[permute] [0, 2, 3] does not order the 4 axes of shape [8, 3, 64, 64]"),
        mistake(
            "slice",
            () -> X.slice(1, 1, 4),
            "[slice] axis 1 of shape [8, 3, 64, 64] has 3 entries, asked for 1 to 3"),
        mistake(
            "expand",
            () -> Tensor.zeros(2, 3).expand(Shape.of(3)),
            "[expand] shape [2, 3] does not expand to [3]"),
        mistake(
            "concat",
            () -> Tensor.concat(1, X, Tensor.zeros(8, 3, 32, 32)),
            "[concat] shapes [8, 3, 64, 64] and [8, 3, 32, 32] differ off axis 1"),
        mistake("stack of nothing", () -> Tensor.stack(0), "[stack] nothing to join"),
        mistake(
            "stack",
            () -> Tensor.stack(0, Tensor.zeros(2, 3), Tensor.zeros(3)),
            "[stack] part 1 has shape [3], expected [2, 3]"),
        mistake(
            "stack outside",
            () -> Tensor.stack(-4, Tensor.zeros(2, 3)),
            "[stack] cannot insert axis -4 into shape [2, 3]"),
        mistake(
            "squeeze",
            () -> X.squeeze(1),
            "[squeeze] axis 1 of shape [8, 3, 64, 64] has 3 entries, not one; select(1, i) picks"
                + " one of them"),
        mistake(
            "split",
            () -> X.split(1, 1, 1),
            "[split] sizes [1, 1] add up to 2, axis 1 of shape [8, 3, 64, 64] has 3 entries"),
        mistake(
            "negative part", () -> X.split(1, 4, -1), "[split] sizes [4, -1] must not be negative"),
        mistake(
            "too few indices",
            () -> X.get(1, 2),
            "[get] 2 indices for shape [8, 3, 64, 64] with 4 axes"),
        mistake(
            "index outside",
            () -> X.get(0, 3, 0, 0),
            "[get] index 3 is outside axis 1 of shape [8, 3, 64, 64] with 3 entries"),
        mistake(
            "gather",
            () -> X.gather(1, 0, 3),
            "[gather] index 3 is outside axis 1 of shape [8, 3, 64, 64] with 3 entries"),
        mistake(
            "item of many",
            () -> X.item(),
            "[item] shape [8, 3, 64, 64] has 98304 elements, not one"),
        mistake(
            "channels",
            () -> Images.conv2d(X, Tensor.zeros(32, 4, 3, 3), null, SAME),
            "[conv2d] input channels differ: input [8, 3, 64, 64] has 3, weight [32, 4, 3, 3]"
                + " expects 4"),
        mistake(
            "no batch axis",
            () -> Images.conv2d(Tensor.zeros(3, 64, 64), Tensor.zeros(32, 3, 3, 3), null, SAME),
            "[conv2d] input must have 4 axes, shape [3, 64, 64] has 3"),
        mistake(
            "kernel too large",
            () ->
                Images.conv2d(
                    Tensor.zeros(1, 3, 4, 4), Tensor.zeros(8, 3, 7, 7), null, Conv2dSpec.of(1, 1)),
            "[conv2d] kernel of weight [8, 3, 7, 7] is larger than input [1, 3, 4, 4] padded by"
                + " 1 x 1"),
        mistake(
            "circular padding too wide",
            () ->
                Images.conv2d(
                    Tensor.zeros(1, 3, 2, 2),
                    Tensor.zeros(8, 3, 3, 3),
                    null,
                    Conv2dSpec.of(1, 3).padding(Padding.CIRCULAR, Padding.CIRCULAR)),
            "[conv2d] circular padding 3 x 3 exceeds input [1, 3, 2, 2]"),
        mistake(
            "window too large",
            () -> Images.maxPool2d(Tensor.zeros(1, 3, 2, 2), Pool2dSpec.of(3)),
            "[max_pool2d] window 3 x 3 is larger than input [1, 3, 2, 2]"),
        mistake(
            "groups",
            () -> Norms.groupNorm(X, 2, null, null, 1e-5),
            "[group_norm] input [8, 3, 64, 64] has 3 channels, not a multiple of 2 groups"),
        mistake(
            "norm weight",
            () -> Norms.groupNorm(X, 3, Tensor.ones(4), Tensor.zeros(3), 1e-5),
            "[group_norm] weight has shape [4], expected [3]"),
        mistake(
            "attention widths",
            () ->
                Attention.of(
                    Tensor.zeros(1, 2, 5, 8), Tensor.zeros(1, 2, 5, 4), Tensor.zeros(1, 2, 5, 8)),
            "[attention] query [1, 2, 5, 8] and key [1, 2, 5, 4] must agree in batch, heads and"
                + " width"),
        mistake(
            "real input of a complex transform",
            () -> Fourier.fft(X, 2),
            "[fft] a complex tensor has a last axis of 2 (re, im), shape is [8, 3, 64, 64]"),
        mistake(
            "spectrum of another size",
            () -> Fourier.irfft(Tensor.zeros(8, 33, 2), 32),
            "[irfft] axis 1 of spectrum [8, 33, 2] has 33 frequencies, size 32 needs 17"),
        mistake(
            "argmax of nothing",
            () -> Tensor.zeros(2, 0).argmax(1),
            "[argmax] axis 1 of shape [2, 0] is empty"));
  }

  private static Arguments mistake(String name, Executable code, String message) {
    return Arguments.of(Named.of(name, code), message);
  }
}
