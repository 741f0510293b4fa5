package io.perflow.nn.operator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.perflow.autograd.Tape;
import io.perflow.nn.Parameter;
import io.perflow.nn.UnaryLayer;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever changes a parameter shows at the next call, though layers keep what they prepared. */
class PreparedTest {
  private static final Rng RNG = Rng.of(3);

  private record Network(String name, UnaryLayer layer, Shape input) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Network> networks() {
    Fno line = Fno.of1d(1, 1).modes(3).width(4).layers(2).build(RNG);
    Fno image = Fno.of2d(1, 1).modes(2).width(4).layers(2).build(RNG);
    FactorizedFno shared = FactorizedFno.of(1, 1).modes(2).width(4).layers(2).build(RNG);
    FactorizedFno apart =
        FactorizedFno.of(1, 1).modes(2).width(4).layers(2).shared(false).build(RNG);
    Shape square = Shape.of(2, 1, 8, 8);
    return Stream.of(
        new Network("fno of lines", line, Shape.of(2, 1, 8)),
        new Network("fno of images", image, square),
        new Network("f-fno", shared, square),
        new Network("f-fno, weights apart", apart, square));
  }

  @ParameterizedTest
  @MethodSource("networks")
  void assignedNumbersCount(Network network) {
    follows(network, p -> p.assign(p.value().mul(1.5).add(0.1)));
  }

  @ParameterizedTest
  @MethodSource("networks")
  void exchangedTensorsCount(Network network) {
    follows(network, p -> p.exchange(p.value().mul(0.5).add(0.1)));
  }

  @ParameterizedTest
  @MethodSource("networks")
  void assignedNumbersCountInDouble(Network network) {
    network.layer.to(DataType.F64);
    follows(network, p -> p.assign(p.value().mul(1.5).add(0.1)));
  }

  private static void follows(Network network, Consumer<Parameter> change) {
    UnaryLayer layer = network.layer;
    layer
        .parameters()
        .forEach(
            (name, parameter) -> {
              Tensor x = RNG.split("x").normal(network.input).to(parameter.value().type());
              float[] before = apply(layer, x);
              assertArrayEquals(before, apply(layer, x), name);
              change.accept(parameter);
              float[] after = apply(layer, x);
              assertFalse(Arrays.equals(before, after), () -> name + " has no effect");
              assertArrayEquals(recorded(layer, x), after, name);
            });
  }

  private static float[] apply(UnaryLayer layer, Tensor x) {
    try (Scope _ = Scope.open()) {
      return layer.apply(x).toFloats();
    }
  }

  // A layer that a tape watches prepares nothing.
  private static float[] recorded(UnaryLayer layer, Tensor x) {
    try (Scope _ = Scope.open();
        Tape _ = Tape.watching(layer.values())) {
      return layer.apply(x).toFloats();
    }
  }
}
