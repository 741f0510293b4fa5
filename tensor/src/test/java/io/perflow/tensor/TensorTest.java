package io.perflow.tensor;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.perflow.fixtures.Devices;
import io.perflow.fixtures.Samples;
import org.junit.jupiter.api.Test;

/** Calls that are composed of other calls, against these. */
class TensorTest {
  @Test
  void subtractsAndDividesByANumber() {
    for (Device device : Devices.all()) {
      Tensor x = Tensor.of(new float[] {1, -2, 0.3f}, 3).to(device);
      assertArrayEquals(new float[] {0.9f, -2.1f, 0.3f - 0.1f}, x.sub(0.1).toFloats());
      // the quotient itself, not the product with a rounded reciprocal
      assertArrayEquals(new float[] {1 / 3f, -2 / 3f, 0.3f / 3}, x.div(3).toFloats());
    }
  }

  @Test
  void readsOneElementOfAnyView() {
    Tensor x = Tensor.arange(24).reshape(2, 3, 4);
    for (Tensor view : new Tensor[] {x, Samples.strided(x), Samples.backwards(x)}) {
      assertEquals(1 * 12 + 2 * 4 + 3, view.get(1, 2, 3));
      assertEquals(4, view.get(0, 1, 0));
    }
    assertEquals(7, Tensor.scalar(7).get());
  }

  @Test
  void readsElementsIntoPartOfAnArray() {
    for (Device device : Devices.all()) {
      for (DataType type : DataType.values()) {
        Tensor x = Tensor.arange(6).reshape(2, 3).to(type).to(device).transpose();
        float[] found = {-1, -1, -1, -1, -1, -1, -1, -1, -1};
        device.backend().memory().toFloats(x, found, 2);
        assertArrayEquals(new float[] {-1, -1, 0, 3, 1, 4, 2, 5, -1}, found);
      }
    }
  }

  @Test
  void stacksAlongANewAxis() {
    Tensor a = Tensor.of(new float[] {1, 2, 3}, 3);
    Tensor b = Tensor.of(new float[] {4, 5, 6}, 3);
    Tensor rows = Tensor.stack(0, a, b);
    assertEquals(Shape.of(2, 3), rows.shape());
    assertArrayEquals(new float[] {1, 2, 3, 4, 5, 6}, rows.toFloats());
    Tensor columns = Tensor.stack(-1, a, b);
    assertEquals(Shape.of(3, 2), columns.shape());
    assertArrayEquals(new float[] {1, 4, 2, 5, 3, 6}, columns.toFloats());
    assertEquals(Shape.of(3, 1), Tensor.stack(1, a).shape());
    assertEquals(Shape.of(2), Tensor.stack(0, Tensor.scalar(1), Tensor.scalar(2)).shape());
  }

  @Test
  void squeezesAxesOfOne() {
    Tensor x = Tensor.zeros(1, 3, 1, 2);
    assertEquals(Shape.of(3, 1, 2), x.squeeze(0).shape());
    assertEquals(Shape.of(1, 3, 2), x.squeeze(-2).shape());
    assertEquals(Shape.of(3, 2), x.squeeze().shape());
    assertEquals(Shape.of(), Tensor.zeros(1, 1).squeeze().shape());
    assertSame(x.storage(), x.squeeze().storage());
  }

  @Test
  void splitsIntoViewsThatConcatJoins() {
    Tensor x = Tensor.arange(12).reshape(2, 6);
    Tensor[] parts = x.split(-1, 1, 0, 3, 2);
    assertEquals(4, parts.length);
    assertArrayEquals(new float[] {1, 2, 3, 7, 8, 9}, parts[2].toFloats());
    for (Tensor part : parts) {
      assertSame(x.storage(), part.storage());
    }
    assertArrayEquals(x.toFloats(), Tensor.concat(1, parts).toFloats());
  }
}
