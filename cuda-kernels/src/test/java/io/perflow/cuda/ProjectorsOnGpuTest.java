package io.perflow.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.cuda.emulator.EmulatedDriver;
import io.perflow.fixtures.Close;
import io.perflow.physics.constraint.Constraint;
import io.perflow.physics.constraint.Derivative;
import io.perflow.physics.constraint.Dirichlet;
import io.perflow.physics.constraint.DivergenceFree;
import io.perflow.physics.constraint.Mass;
import io.perflow.physics.constraint.Measured;
import io.perflow.physics.constraint.Projector;
import io.perflow.physics.constraint.StreamFunction;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The projectors of physics on the emulated device: the same laws, and no waiting for the host. */
class ProjectorsOnGpuTest {
  private static final Shape FIELD = Shape.of(2, 4, 8, 6);

  // Its own: what tests running beside this one copy must not be counted here.
  private static final Device DEVICE = CudaDevices.emulated(EmulatedDriver.create());

  private static Tensor normal(String name, DataType type) {
    return Rng.of(4).split(name).normal(Device.cpu(), FIELD, DataType.F64).to(type);
  }

  private static Tensor mask() {
    return Rng.of(5).uniform(Device.cpu(), FIELD, DataType.F64).less(0.3);
  }

  /** Sets of constraints that take a fixed number of operations. */
  private enum Laws {
    SPECTRAL_FLOW(DivergenceFree.spectral()),
    CENTRAL_FLOW(DivergenceFree.of(Derivative.CENTRAL)),
    FLOW_WITHOUT_MEAN(DivergenceFree.spectral(), Mass.over(2, 3)),
    RING(Dirichlet.ring(1).value(0.25)),
    ANY_PLACES(Dirichlet.on(mask(), normal("values", DataType.F64))),
    ROW_MASS(Mass.over(-1).value(0.5)),
    MASS_OF_A_CHANNEL(Mass.over(2, 3).channels(2)),
    RING_AND_ROW_MASS(Dirichlet.ring(0).value(0.5), Mass.over(-1).channels(0).value(0.5)),
    READINGS_AND_MASS(Measured.of(mask(), normal("v", DataType.F64)), Mass.over(2, 3)),
    READINGS_IN_A_FLOW(DivergenceFree.spectral(), readings()),
    TWO_MASSES(Mass.over(-1), Mass.over(-2).channels(1));

    private final Projector projector;

    Laws(Constraint... constraints) {
      this.projector = Projector.onto(constraints);
    }

    private static Measured readings() {
      Tensor flow = Projector.onto(DivergenceFree.spectral()).project(normal("flow", DataType.F64));
      return Measured.of(Rng.of(6).uniform(Device.cpu(), FIELD, DataType.F64).less(0.05), flow);
    }
  }

  @ParameterizedTest
  @EnumSource
  void agreesWithTheCpu(Laws laws) {
    Projector p = laws.projector;
    for (DataType type : DataType.values()) {
      Tensor x = normal("x", type);
      Tensor v = normal("v", type);
      Tensor there = p.project(x.to(DEVICE));
      assertEquals(DEVICE, there.device());
      assertEquals(type, there.type());
      Tensor exact = p.project(x.to(DataType.F64));
      Close.assertClose(laws + " project", exact, there, Close.tolerance(type));
      Tensor tangent = p.tangent(v.to(DEVICE), there);
      Tensor exactTangent = p.tangent(v.to(DataType.F64), exact);
      Close.assertClose(laws + " tangent", exactTangent, tangent, Close.tolerance(type));
    }
  }

  @ParameterizedTest
  @EnumSource
  void obeysTheLawsOfProjectors(Laws laws) {
    Projector p = laws.projector;
    Tensor x = p.project(normal("x", DataType.F64).to(DEVICE));
    Close.assertClose("P(Px) = Px", x, p.project(x), 1e-12);
    for (Constraint constraint : p.constraints()) {
      double residual = constraint.meanSquare(x).max(false, 0).item();
      assertTrue(residual < 1e-22, () -> constraint.name() + " " + residual);
    }
    Tensor v = normal("v", DataType.F64).to(DEVICE);
    Tensor w = normal("w", DataType.F64).to(DEVICE);
    double left = p.tangent(v, x).mul(w).sum().item();
    double right = v.mul(p.tangent(w, x)).sum().item();
    assertEquals(left, right, 1e-10, "self-adjointness");
  }

  /** A trajectory of Heun's method asks nothing back from the device. */
  @ParameterizedTest
  @EnumSource
  void trajectoriesDoNotWait(Laws laws) {
    Projector p = laws.projector;
    CudaBackend backend = Emulated.backend(DEVICE);
    Tensor x = p.project(normal("x", DataType.F32).to(DEVICE));
    p.tangent(x, x); // brings what is made once to the device
    Traffic before = backend.traffic();
    double h = 0.25;
    for (int step = 0; step < 4; step++) {
      try (Scope scope = Scope.open()) {
        Tensor first = x.square();
        Tensor second = p.advance(x, first, h).square();
        x = scope.keep(p.advance(x, first.add(second), x, h / 2));
      }
    }
    Traffic traffic = backend.traffic().since(before);
    assertEquals(0, traffic.downloadedBytes(), "bytes read back");
    assertEquals(0, traffic.uploadedBytes(), "bytes uploaded, which wait for each other");
    for (Constraint constraint : p.constraints()) {
      double residual = constraint.meanSquare(x).max(false, 0).item();
      double largest = x.abs().max(false).item();
      assertTrue(
          residual < 1e-10 * (1 + largest * largest), () -> constraint.name() + " " + residual);
    }
  }

  @Test
  void curlOfAStreamFunctionHasNoDivergence() {
    for (DataType type : DataType.values()) {
      Tensor psi = normal("psi", type).slice(1, 0, 2);
      Tensor there = StreamFunction.spectral().velocity(psi.to(DEVICE));
      Tensor exact = StreamFunction.spectral().velocity(psi.to(DataType.F64));
      Close.assertClose("curl", exact, there, Close.tolerance(type));
      double divergence = DivergenceFree.spectral().meanSquare(there).max(false, 0).item();
      double bound = type == DataType.F32 ? 1e-6 : 1e-22;
      double size = exact.abs().max(false).item();
      assertTrue(divergence < bound * size * size, "divergence " + divergence);
    }
  }
}
