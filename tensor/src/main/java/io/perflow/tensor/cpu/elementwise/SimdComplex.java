package io.perflow.tensor.cpu.elementwise;

import static io.perflow.tensor.cpu.vector.Simd.F;

import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.cpu.loop.Walk;
import io.perflow.tensor.cpu.memory.ComplexLayout;
import io.perflow.tensor.cpu.memory.FloatStorage;
import io.perflow.tensor.cpu.memory.Fresh;
import io.perflow.tensor.cpu.memory.StridedCopy;
import jdk.incubator.vector.FloatVector;

/** Products of complex F32 tensors, real and imaginary planes side by side. */
final class SimdComplex {
  private SimdComplex() {}

  static Tensor multiply(Tensor a, Tensor b, boolean conjugateB) {
    Shape shape = Shape.broadcast("complex_mul", a.shape(), b.shape());
    Shape plane = shape.remove(-1);
    Tensor y = Fresh.like(a, ComplexLayout.planar(shape));
    Layout left = realPart(a, plane);
    Layout right = realPart(b, plane);
    Layout out = realPart(y, plane);
    Walk walk = Walk.of(out, left, right);
    if (!walk.isUnitOrConstant(1)) {
      return multiply(StridedCopy.of(a, ComplexLayout.planar(a.shape())), b, conjugateB);
    }
    if (!walk.isUnitOrConstant(2)) {
      return multiply(a, StridedCopy.of(b, ComplexLayout.planar(b.shape())), conjugateB);
    }
    Operand p = new Operand(FloatStorage.data(a), imaginary(a), walk.step(1) == 1 ? 1 : 0);
    Operand q = new Operand(FloatStorage.data(b), imaginary(b), walk.step(2) == 1 ? 1 : 0);
    float[] target = FloatStorage.data(y);
    int im = imaginary(y);
    walk.forEach(
        (row, count, lo, hi) -> {
          for (int r = row; r < row + count; r++) {
            int i = walk.start(1, r) + lo * p.step;
            int j = walk.start(2, r) + lo * q.step;
            run(p, i, q, j, conjugateB ? -1 : 1, target, walk.start(0, r) + lo, im, hi - lo);
          }
        });
    return y;
  }

  /**
   * An array, the distance from a real part to its imaginary part, and the step of a run (0, 1).
   */
  private record Operand(float[] data, int im, int step) {
    FloatVector load(int at) {
      return step == 1 ? FloatVector.fromArray(F, data, at) : FloatVector.broadcast(F, data[at]);
    }
  }

  private static Layout realPart(Tensor x, Shape plane) {
    Layout l = x.layout();
    Shape own = x.shape().remove(-1);
    int[] strides = java.util.Arrays.copyOf(l.strides(), own.rank());
    return Layout.of(own, strides, l.offset()).expand(plane);
  }

  private static int imaginary(Tensor x) {
    return x.layout().stride(x.rank() - 1);
  }

  private static void run(
      Operand a, int i, Operand b, int j, float sign, float[] y, int t, int im, int n) {
    int k = 0;
    int bound = F.loopBound(n);
    for (; k < bound; k += F.length()) {
      FloatVector ar = a.load(i + k * a.step);
      FloatVector ai = a.load(i + k * a.step + a.im);
      FloatVector br = b.load(j + k * b.step);
      FloatVector bi = b.load(j + k * b.step + b.im).mul(sign);
      ar.mul(br).sub(ai.mul(bi)).intoArray(y, t + k);
      ar.mul(bi).add(ai.mul(br)).intoArray(y, t + k + im);
    }
    for (; k < n; k++) {
      float ar = a.data[i + k * a.step];
      float ai = a.data[i + k * a.step + a.im];
      float br = b.data[j + k * b.step];
      float bi = b.data[j + k * b.step + b.im] * sign;
      y[t + k] = ar * br - ai * bi;
      y[t + k + im] = ar * bi + ai * br;
    }
  }
}
