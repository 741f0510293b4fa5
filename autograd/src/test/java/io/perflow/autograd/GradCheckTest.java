package io.perflow.autograd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.fixtures.Samples;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;
import io.perflow.tensor.op.Op;
import io.perflow.tensor.op.Vjp;
import org.junit.jupiter.api.Test;

class GradCheckTest {
  @Test
  void passesARightGradientOfSeveralInputs() {
    Tensor a = Samples.of(1, 3, 4);
    Tensor b = Samples.of(2, 4, 2);
    assertTrue(GradCheck.run(in -> in[0].matmul(in[1]).silu(), a, b).passed());
  }

  @Test
  void findsTheWrongEntryAndSaysBothNumbers() {
    Tensor x = Tensor.of(new double[] {1, 2, 3, 4}, 2, 2);
    GradCheck.Result worst = GradCheck.run(in -> new OneEntryWrong().apply(in), x);
    assertFalse(worst.passed());
    assertEquals("input 0 of shape [2, 2], entry [1, 0]", worst.where());
    assertEquals(worst.analytic(), 2 * worst.numeric(), 1e-6);
    var e =
        assertThrows(
            AssertionError.class, () -> GradCheck.require(in -> new OneEntryWrong().apply(in), x));
    assertTrue(e.getMessage().contains("entry [1, 0]: analytic "), e.getMessage());
    assertTrue(e.getMessage().contains(", numeric "), e.getMessage());
  }

  @Test
  void findsAWrongGradientOfALargeInput() {
    Tensor x = Samples.of(3, 40, 50);
    GradCheck.Result worst = GradCheck.run(in -> new OneEntryWrong().apply(in), x);
    assertFalse(worst.passed());
    assertTrue(worst.where().contains("random direction"), worst.where());
    assertTrue(GradCheck.run(in -> in[0].sin(), x).passed());
  }

  @Test
  void aNotANumberFails() {
    Tensor x = Tensor.of(new double[] {-1, 2}, 2);
    assertFalse(GradCheck.run(in -> in[0].log(), x).passed());
  }

  @Test
  void refusesSinglePrecisionWithAHint() {
    Tensor x = Samples.of(4, 3).to(DataType.F32);
    var e = assertThrows(IllegalArgumentException.class, () -> GradCheck.run(in -> in[0], x));
    assertEquals(
        "[grad_check] input 0 of shape [3] is F32, too coarse for differences; use to(F64)",
        e.getMessage());
    Tensor wide = Samples.of(4, 3);
    assertThrows(
        IllegalArgumentException.class,
        () -> GradCheck.run(in -> in[0].to(DataType.F32), wide),
        "the result is F32");
  }

  @Test
  void aTensorGivenTwiceCountsAsTwoInputs() {
    Tensor x = Samples.of(5, 3);
    GradCheck.require(in -> in[0].mul(in[1].exp()), x, x);
  }

  @Test
  void aConstantHasNoGradient() {
    Tensor x = Samples.of(6, 3);
    Tensor constant = Samples.of(7, 2);
    GradCheck.require(_ -> constant, x);
  }

  /** x^2 whose gradient is doubled at the third element. */
  private record OneEntryWrong() implements Op {
    @Override
    public String name() {
      return "one_entry_wrong";
    }

    @Override
    public Shape outputShape(Tensor... inputs) {
      return inputs[0].shape();
    }

    @Override
    public Tensor[] forward(Backend backend, Tensor... inputs) {
      return Op.only(inputs[0].square());
    }

    @Override
    public Tensor[] vjp(Vjp v) {
      double[] slope = v.input(0).toDoubles();
      double[] grad = v.grad().toDoubles();
      for (int i = 0; i < slope.length; i++) {
        grad[i] *= 2 * slope[i] * (i == 2 ? 2 : 1);
      }
      return Op.only(Tensor.of(grad, v.shape(0).toArray()));
    }
  }
}
