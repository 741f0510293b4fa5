package io.perflow.cuda;

/**
 * How a place of the image that is read follows from a place r of the image that is written and a
 * tap u, for one axis: {@code (scale r + direction u + shift) / divisor}, where that is whole;
 * {@code struct AxisMap} of {@code image.cuh}.
 */
record AxisMap(int extent, int scale, int direction, int shift, int divisor, boolean circular) {
  /** Of a convolution. */
  static AxisMap forward(int extent, int stride, int pad, boolean circular) {
    return new AxisMap(extent, stride, 1, -pad, 1, circular);
  }

  /** Of a convolution's adjoint in x. */
  static AxisMap adjoint(int extent, int stride, int pad, boolean circular) {
    return new AxisMap(extent, 1, -1, pad, stride, circular);
  }

  /**
   * The adjoint of a convolution with three taps and stride 1 as a convolution with turned taps.
   */
  AxisMap turned() {
    return new AxisMap(extent, 1, 1, shift - 2, 1, circular);
  }

  void appendTo(Struct struct) {
    struct.ints(extent, scale, direction, shift, divisor).flag(circular);
  }

  Struct struct() {
    Struct struct = new Struct();
    appendTo(struct);
    return struct;
  }
}
