package io.perflow.physics.constraint;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.perflow.fixtures.Close;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Settings;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Projections do not depend on where, in which scope and by how many threads they are computed. */
@Isolated
class DevicesTest {
  private static final Shape FIELD = Shape.of(2, 4, 8, 6);

  private static Tensor x(DataType type) {
    return Laws.normal(Rng.of(2), FIELD, type);
  }

  @ParameterizedTest
  @EnumSource
  void theScalarBackendAgrees(Manifold manifold) {
    Projector p = manifold.projector(FIELD, Rng.of(1));
    for (DataType type : DataType.values()) {
      Tensor there = p.project(x(type).to(Device.reference()));
      assertEquals(Device.reference(), there.device());
      assertEquals(type, there.type());
      Tensor here = p.project(x(type));
      Close.assertClose(manifold + " " + type, here, there.to(Device.cpu()), Close.tolerance(type));
    }
  }

  @ParameterizedTest
  @EnumSource
  void threadsChangeNoBit(Manifold manifold) {
    int before = Settings.threads();
    try {
      Settings.threads(1);
      double[] one = manifold.projector(FIELD, Rng.of(1)).project(x(DataType.F64)).toDoubles();
      Settings.threads(3);
      double[] three = manifold.projector(FIELD, Rng.of(1)).project(x(DataType.F64)).toDoubles();
      assertArrayEquals(one, three);
    } finally {
      Settings.threads(before);
    }
  }

  /** What is made or first needed inside a scope outlives it. */
  @ParameterizedTest
  @EnumSource
  void scopesMayClose(Manifold manifold) {
    Projector used;
    Projector fresh;
    Tensor first;
    try (Scope scope = Scope.open()) {
      used = manifold.projector(FIELD, Rng.of(1));
      fresh = manifold.projector(FIELD, Rng.of(1));
      first = scope.keep(used.project(x(DataType.F32)));
    }
    for (Projector p : List.of(used, fresh)) {
      try (Scope _ = Scope.open()) {
        assertArrayEquals(first.toFloats(), p.project(x(DataType.F32)).toFloats());
        p.constraints().forEach(c -> c.meanSquare(first));
      }
    }
  }
}
