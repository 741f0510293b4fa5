package io.perflow.tensor.cpu.memory;

import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import java.util.Arrays;

/** Where the numbers of complex tensors lie, whose last axis is (re, im). */
public final class ComplexLayout {
  private ComplexLayout() {}

  /** Row-major planes of real parts and imaginary parts. */
  public static Layout planar(Shape complex) {
    Shape plane = complex.remove(-1);
    int[] strides = Arrays.copyOf(Layout.contiguous(plane).strides(), complex.rank());
    strides[complex.rank() - 1] = plane.size();
    return Layout.of(complex, strides, 0);
  }
}
