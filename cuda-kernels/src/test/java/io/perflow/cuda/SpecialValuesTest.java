package io.perflow.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.BinaryKind;
import io.perflow.tensor.op.UnaryKind;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Functions at zeros, infinities, NaN and the ends of the range, as their definition has them. */
class SpecialValuesTest {
  private static final double[] SPECIAL = {
    0.0,
    -0.0,
    1,
    -1,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    3,
    -3,
    100,
    -100,
    1e-30,
    -1e-30,
    1e30,
    Double.POSITIVE_INFINITY,
    Double.NEGATIVE_INFINITY,
    Double.NaN
  };

  @ParameterizedTest
  @EnumSource
  void unary(UnaryKind kind) {
    for (DataType type : DataType.values()) {
      Tensor x = Tensor.of(SPECIAL, SPECIAL.length).to(type);
      double[] actual = x.to(Emulated.device()).unary(kind).toDoubles();
      double[] in = x.toDoubles();
      for (int i = 0; i < in.length; i++) {
        assertSame(kind + "(" + in[i] + ")", kind.apply(in[i]), actual[i], type);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void binary(BinaryKind kind) {
    int n = SPECIAL.length;
    for (DataType type : DataType.values()) {
      Tensor x = Tensor.of(SPECIAL, n).to(type);
      Tensor there = x.to(Emulated.device());
      double[] actual = there.reshape(n, 1).binary(kind, there).toDoubles();
      double[] in = x.toDoubles();
      for (int i = 0; i < n * n; i++) {
        double a = in[i / n];
        double b = in[i % n];
        assertSame("%s(%s, %s)".formatted(kind, a, b), kind.apply(a, b), actual[i], type);
      }
    }
  }

  // The definition is in double: what leaves the range of F32 there is infinite or zero here.
  private static void assertSame(String what, double expected, double actual, DataType type) {
    double e = type == DataType.F32 ? (float) expected : expected;
    if (Double.isNaN(e) || Double.isInfinite(e) || e == 0) {
      assertEquals(e, actual, what + " in " + type);
    } else {
      double tolerance = type == DataType.F32 ? 5e-6 : 2e-13;
      double room = Math.max(tolerance * Math.abs(e), type == DataType.F32 ? 1e-38 : 1e-300);
      assertTrue(
          Math.abs(actual - e) <= room,
          () -> "%s in %s is %s, expected %s".formatted(what, type, actual, e));
    }
  }
}
