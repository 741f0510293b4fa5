package io.perflow.physics.constraint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.autograd.GradCheck;
import io.perflow.fixtures.Close;
import io.perflow.physics.Normalization;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.List;
import java.util.function.DoubleBinaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DivergenceFreeTest {
  private static final double TWO_PI = 2 * Math.PI;

  /** f(x, y) on the unit torus, x along the height. */
  private static double[] sampled(int height, int width, DoubleBinaryOperator f) {
    double[] values = new double[height * width];
    for (int i = 0; i < values.length; i++) {
      values[i] = f.applyAsDouble((double) (i / width) / height, (double) (i % width) / width);
    }
    return values;
  }

  private static Tensor field(int height, int width, DoubleBinaryOperator... channels) {
    Tensor[] parts = new Tensor[channels.length];
    for (int c = 0; c < parts.length; c++) {
      parts[c] = Tensor.of(sampled(height, width, channels[c]), 1, 1, height, width);
    }
    return Tensor.concat(1, parts);
  }

  @Test
  void aWaveHasItsExactDerivatives() {
    int h = 12;
    int w = 20;
    DoubleBinaryOperator phase = (x, y) -> TWO_PI * (3 * x + 2 * y);
    Tensor psi = field(h, w, (x, y) -> Math.sin(phase.applyAsDouble(x, y)));
    Tensor expected =
        field(
            h,
            w,
            (x, y) -> 2 * TWO_PI * Math.cos(phase.applyAsDouble(x, y)),
            (x, y) -> -3 * TWO_PI * Math.cos(phase.applyAsDouble(x, y)));
    Close.assertClose("curl", expected, StreamFunction.spectral().velocity(psi), 1e-13);

    Tensor flow = field(h, w, (x, y) -> Math.sin(TWO_PI * x), (x, y) -> Math.cos(2 * TWO_PI * y));
    Tensor divergence =
        field(
            h, w, (x, y) -> TWO_PI * Math.cos(TWO_PI * x) - 2 * TWO_PI * Math.sin(2 * TWO_PI * y));
    Close.assertClose("divergence", divergence, DivergenceFree.spectral().residual(flow), 1e-13);
  }

  @Test
  void centralDifferencesAreTheStencil() {
    int h = 7;
    int w = 9;
    Tensor x = Laws.normal(Rng.of(1), Shape.of(1, 2, h, w), DataType.F64);
    double[] values = x.toDoubles();
    double[] expected = new double[h * w];
    for (int i = 0; i < h; i++) {
      for (int j = 0; j < w; j++) {
        double du = values[(i + 1) % h * w + j] - values[(i + h - 1) % h * w + j];
        int v = h * w + i * w;
        double dv = values[v + (j + 1) % w] - values[v + (j + w - 1) % w];
        expected[i * w + j] = du * h / 2 + dv * w / 2;
      }
    }
    Tensor divergence = DivergenceFree.of(Derivative.CENTRAL).residual(x);
    Close.assertClose("stencil", Tensor.of(expected, 1, 1, h, w), divergence, 1e-13);
  }

  @Test
  void framesAreUFirstThenV() {
    Tensor psi = Laws.normal(Rng.of(2), Shape.of(2, 3, 8, 8), DataType.F64);
    Tensor all = StreamFunction.spectral().velocity(psi);
    for (int f = 0; f < 3; f++) {
      Tensor one = StreamFunction.spectral().velocity(psi.slice(1, f, f + 1));
      Tensor pair = Tensor.concat(1, all.slice(1, f, f + 1), all.slice(1, 3 + f, 4 + f));
      Close.assertClose("frame " + f, one, pair, 1e-14);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aCurlHasNoDivergenceAndIsLeftAlone(Derivative derivative) {
    DivergenceFree law = DivergenceFree.of(derivative);
    Tensor psi = Laws.normal(Rng.of(3), Shape.of(2, 2, 16, 12), DataType.F64);
    Tensor flow = StreamFunction.of(law).velocity(psi);
    Close.assertClose("Leray", flow, Projector.onto(law).project(flow), 1e-13);
    assertTrue(law.meanSquare(flow).max(false).item() < 1e-24 * flow.square().sum().item());
  }

  @Test
  void theMeanFlowIsKept() {
    Tensor x = Laws.normal(Rng.of(4), Shape.of(2, 4, 16, 16), DataType.F64).add(3);
    Tensor projected = Projector.onto(DivergenceFree.spectral()).project(x);
    Close.assertClose("mean flow", x.mean(2, 3), projected.mean(2, 3), 1e-13);
  }

  /** Velocities of one flow with the mean kept, prescribed and taken away. */
  @Test
  void theMeanFlowIsKeptPrescribedOrRemoved() {
    DivergenceFree law = DivergenceFree.spectral();
    Tensor x = Laws.normal(Rng.of(4), Shape.of(2, 4, 16, 16), DataType.F64).add(3);
    Tensor kept = Projector.onto(law).project(x);
    Tensor waves = kept.sub(kept.mean(true, 2, 3));

    Tensor mean = Tensor.of(new double[] {1, -2, 0.5, 4}, 1, 4, 1, 1);
    Tensor prescribed = Projector.onto(law, Mass.over(2, 3).values(mean)).project(x);
    Close.assertClose("prescribed", waves.add(mean), prescribed, 1e-13);

    Tensor removed = Projector.onto(law, Mass.mean(0)).project(x);
    Close.assertClose("removed", waves, removed, 1e-13);

    Tensor one = Projector.onto(law, Mass.mean(7).channels(2)).project(x);
    Close.assertClose("u", kept.slice(1, 0, 2), one.slice(1, 0, 2), 1e-13);
    assertEquals(7, one.slice(1, 2, 3).mean().item(), 1e-12);
  }

  @Test
  void aStreamFunctionWithAMeanGivesEveryIncompressibleFlow() {
    Tensor psi = Laws.normal(Rng.of(5), Shape.of(2, 1, 8, 6), DataType.F64);
    Tensor mean = Tensor.of(new double[] {1, -2, 0.5, 4}, 2, 2, 1, 1);
    StreamFunction stream = StreamFunction.spectral();
    Tensor flow = stream.velocity(psi, mean);
    Close.assertClose("mean", mean, flow.mean(true, 2, 3), 1e-13);
    Close.assertClose("waves", stream.velocity(psi), flow.sub(mean), 1e-13);
    Close.assertClose("Leray", flow, Projector.onto(stream.constraint()).project(flow), 1e-13);
    GradCheck.require(in -> stream.velocity(in[0], in[1]), psi, mean);
    message("expected [2, 2, 1, 1]", () -> stream.velocity(psi, Tensor.zeros(2, 3, 1, 1)));
  }

  /** What a projected field has beyond a curl and a mean is waves that the grid cannot see. */
  @ParameterizedTest
  @EnumSource
  void everyIncompressibleFlowHasAStreamFunction(Derivative derivative) {
    StreamFunction stream = StreamFunction.of(DivergenceFree.of(derivative));
    Tensor psi = Laws.normal(Rng.of(9), Shape.of(2, 2, 8, 6), DataType.F64);
    Tensor flow = stream.velocity(psi);
    Close.assertClose("round trip", flow, stream.velocity(stream.potential(flow)), 1e-13);
    Tensor x = Laws.normal(Rng.of(10), Shape.of(2, 4, 8, 6), DataType.F64);
    Projector p = Projector.onto(stream.constraint());
    Tensor beyond = p.project(x).sub(stream.velocity(stream.potential(x)));
    assertEquals(0, stream.potential(beyond).abs().max(false).item(), 1e-13);
    assertEquals(0, stream.constraint().residual(beyond).abs().max(false).item(), 1e-12);
    GradCheck.require(in -> stream.potential(in[0]), x);
  }

  @Test
  void theCurlHasAGradient() {
    Tensor psi = Laws.normal(Rng.of(5), Shape.of(2, 2, 6, 4), DataType.F64);
    GradCheck.require(in -> StreamFunction.spectral().velocity(in[0]), psi);
    Tensor x = Laws.normal(Rng.of(6), Shape.of(1, 2, 6, 4), DataType.F64);
    GradCheck.require(in -> DivergenceFree.spectral().residual(in[0]), x);
  }

  /**
   * Fifty Euler steps with unit variance on 64 x 64 in single precision: the paper reports a mean
   * square divergence of 8.0e-10, from round-off.
   */
  @ParameterizedTest
  @EnumSource
  void singlePrecisionStaysAtItsFloor(Derivative derivative) {
    DivergenceFree law = DivergenceFree.of(derivative);
    Projector p = Projector.onto(law);
    Rng rng = Rng.of(8);
    Tensor x = p.project(smooth(rng.split("x")));
    for (int step = 0; step < 50; step++) {
      try (Scope scope = Scope.open()) {
        Tensor v = p.tangent(smooth(rng.split(step)).sub(x), x);
        x = scope.keep(x.addScaled(v, 0.02));
      }
    }
    double error = law.meanSquare(x.to(DataType.F64)).item();
    double allowed = derivative == Derivative.SPECTRAL ? 1.3e-9 : 1.4e-10;
    assertTrue(error <= allowed, "mean square divergence " + error);
  }

  // Velocities of unit variance whose spectrum falls as those of turbulence do.
  private static Tensor smooth(Rng rng) {
    Tensor noise = rng.normal(Device.cpu(), Shape.of(1, 2, 64, 64), DataType.F32);
    Tensor y = noise;
    for (int i = 0; i < 8; i++) {
      for (int axis = 2; axis < 4; axis++) {
        Tensor around = y.padCircular(axis, 1, 1);
        y = y.add(around.slice(axis, 0, 64)).add(around.slice(axis, 2, 66));
      }
    }
    return y.mul(Math.sqrt(y.size() / y.square().sum().item()));
  }

  @Test
  void badInputIsRefused() {
    Projector p = Projector.onto(DivergenceFree.spectral());
    message("odd grid of 7 x 8", () -> p.project(Tensor.zeros(1, 2, 7, 8)));
    message("3 channels", () -> p.project(Tensor.zeros(1, 3, 8, 8)));
    message("4 axes", () -> p.project(Tensor.zeros(2, 8, 8)));
    message(
        "odd grid of 8 x 5", () -> StreamFunction.spectral().velocity(Tensor.zeros(1, 1, 8, 5)));
    Normalization two = new Normalization(List.of(0.0, 0.0), List.of(1.0, 2.0));
    message("one scale for all of them", () -> DivergenceFree.spectral().normalized(two));
    Normalization one = new Normalization(List.of(1.0, 2.0), List.of(3.0, 3.0));
    assertEquals(DivergenceFree.spectral(), DivergenceFree.spectral().normalized(one));
  }

  private static void message(String part, Runnable run) {
    var thrown = assertThrows(IllegalArgumentException.class, run::run);
    assertTrue(thrown.getMessage().contains(part), thrown.getMessage());
  }
}
