package io.perflow.physics;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.solver.Benchmark;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.ShapeException;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.Json;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NormalizationTest {
  private static Problem problem(String benchmark) {
    return Benchmark.named(benchmark).generator("", 16).problem();
  }

  private static Tensor fields(int channels) {
    Tensor x = Rng.of(4).normal(Device.cpu(), Shape.of(7, channels, 5, 6), DataType.F64);
    double[] scale = new double[channels];
    for (int c = 0; c < channels; c++) {
      scale[c] = c + 1;
    }
    Tensor units = Tensor.of(scale, 1, channels, 1, 1);
    return x.mul(units).add(units.mul(100));
  }

  @ParameterizedTest
  @ValueSource(strings = {"burgers", "poisson", "darcy"})
  void scalarsGetMeanZeroAndVarianceOne(String benchmark) {
    Problem problem = problem(benchmark);
    int channels = problem.channelCount();
    Tensor x = fields(channels);
    Normalization units = Normalization.fit(x, problem.groups());
    Tensor z = units.normalize(x);
    for (int c = 0; c < channels; c++) {
      double[] values = z.select(1, c).toDoubles();
      assertEquals(0, mean(values), 1e-12);
      assertEquals(1, Math.sqrt(meanSquare(values)), 1e-12);
    }
    assertArrayEquals(x.toDoubles(), units.denormalize(z).toDoubles(), 1e-11);
  }

  @Test
  void velocitiesShareOneScaleAndKeepTheirZero() {
    Tensor x = fields(20);
    Normalization units = Normalization.fit(x, problem("ns").groups());
    assertEquals(1, units.scale().stream().distinct().count());
    assertTrue(units.mean().stream().allMatch(m -> m == 0));
    assertEquals(1, meanSquare(units.normalize(x).toDoubles()), 1e-12);
  }

  @Test
  void halfIsHalf() {
    Tensor x = fields(2);
    Normalization units = Scaling.HALF.fit(problem("poisson"), Moments.of(x));
    assertEquals(0.25, meanSquare(units.normalize(x).select(1, 0).toDoubles()), 1e-12);
  }

  @Test
  void aConstantChannelKeepsItsScale() {
    Normalization units = Normalization.fit(Tensor.ones(3, 1, 4, 4), problem("burgers").groups());
    assertEquals(List.of(1.0), units.mean());
    assertEquals(List.of(1.0), units.scale());
  }

  @Test
  void groupsMustCoverEveryChannelOnce() {
    Tensor x = fields(2);
    ChannelGroup first = ChannelGroup.of(0);
    assertThrows(ShapeException.class, () -> Normalization.fit(x, List.of(first)));
    assertThrows(ShapeException.class, () -> Normalization.fit(x, List.of(first, first)));
    assertThrows(
        ShapeException.class, () -> Normalization.fit(x, List.of(first, ChannelGroup.of(2))));
  }

  @Test
  void filesGiveTheSameBits() throws IOException {
    Normalization units = Normalization.fit(fields(2), problem("darcy").groups());
    assertEquals(units, Normalization.fromJson(Json.parse(Json.write(units.toJson()))));
  }

  @Test
  void momentsLoseNoDigitsToALargeMean() {
    Moments moments = new Moments(1);
    for (int i = 0; i < 1000; i++) {
      moments.add(new double[] {1e9 + 1, 1e9 - 1, 1e9 + (i % 2 == 0 ? 2 : -2)});
    }
    assertEquals(1e9, moments.mean(0), 1e-6);
    assertEquals(
        Math.sqrt(2),
        moments.deviation(0),
        1e-6); // the mean of the squares less the square gives 0
    assertEquals(1e9 - 2, moments.least(0));
    assertEquals(1e9 + 2, moments.greatest(0));
  }

  @Test
  void theDeviationIsThatOfTheScaling() {
    assertEquals(1, Scaling.UNIT.deviation());
    assertEquals(0.5, Scaling.HALF.deviation());
    assertEquals("unit half", Scaling.UNIT + " " + Scaling.HALF);
  }

  private static double mean(double[] values) {
    double sum = 0;
    for (double value : values) {
      sum += value;
    }
    return sum / values.length;
  }

  private static double meanSquare(double[] values) {
    double sum = 0;
    for (double value : values) {
      sum += value * value;
    }
    return sum / values.length;
  }
}
