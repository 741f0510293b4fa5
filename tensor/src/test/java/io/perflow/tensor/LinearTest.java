package io.perflow.tensor;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.tensor.op.Linear;
import org.junit.jupiter.api.Test;

/** x W' + b against the product and the sum that it combines. */
class LinearTest {
  private static final Rng RNG = Rng.of(5);

  private static Tensor draw(String name, Device device, int... shape) {
    return RNG.split(name).normal(Shape.of(shape)).to(device);
  }

  private static void check(Device device, int in, int out, int... lead) {
    int[] shape = java.util.Arrays.copyOf(lead, lead.length + 1);
    shape[lead.length] = in;
    Tensor x = draw("x", device, shape);
    Tensor w = draw("w", device, out, in);
    Tensor b = draw("b", device, out);
    Tensor y = new Linear().apply(x, w, b);
    Tensor expected = x.matmul(w.transpose()).add(b);
    assertEquals(expected.shape(), y.shape());
    assertArrayEquals(expected.toFloats(), y.toFloats(), 1e-4f);
    Tensor plain = new Linear().apply(x, w);
    assertArrayEquals(x.matmul(w.transpose()).toFloats(), plain.toFloats(), 1e-4f);
  }

  @Test
  void isTheProductWithTheTransposedWeight() {
    for (Device device : new Device[] {Device.cpu(), Device.reference()}) {
      check(device, 5, 3, 1);
      check(device, 32, 128, 4); // few rows: the weight is read in place
      check(device, 33, 47, 29); // many: it is packed
      check(device, 24, 40, 2, 3, 7);
      check(device, 0, 4, 3);
    }
  }

  @Test
  void readsViewsAndNoticesNewWeights() {
    Tensor x = draw("x", Device.cpu(), 40, 60).transpose().slice(1, 3, 35); // (60, 32), strided
    Tensor w = draw("w", Device.cpu(), 16, 32);
    Tensor first = new Linear().apply(x, w);
    assertArrayEquals(x.matmul(w.transpose()).toFloats(), first.toFloats(), 1e-4f);
    w.device().backend().memory().assign(w, draw("other", Device.cpu(), 16, 32));
    Tensor second = new Linear().apply(x, w);
    assertArrayEquals(x.matmul(w.transpose()).toFloats(), second.toFloats(), 1e-4f);
  }

  @Test
  void namesWhatDoesNotFit() {
    Tensor x = Tensor.zeros(2, 3);
    ShapeException e =
        assertThrows(ShapeException.class, () -> new Linear().apply(x, Tensor.zeros(5, 4)));
    assertTrue(e.getMessage().contains("[2, 3] must be (…, 4)"), e.getMessage());
    assertThrows(
        ShapeException.class, () -> new Linear().apply(x, Tensor.zeros(5, 3), Tensor.zeros(3)));
  }
}
