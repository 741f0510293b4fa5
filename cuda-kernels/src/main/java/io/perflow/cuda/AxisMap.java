package io.perflow.cuda;

/**
 * A map, for one axis, from a place r of the output image and a tap u to a place of the input
 * image: {@code (scale r + direction u + shift) / divisor}, where this is an integer; {@code struct
 * AxisMap} of {@code image.cuh}.
 */
record AxisMap(int extent, int scale, int direction, int shift, int divisor, boolean circular) {
  /** Returns the map of a convolution. */
  static AxisMap forward(int extent, int stride, int pad, boolean circular) {
    return new AxisMap(extent, stride, 1, -pad, 1, circular);
  }

  /** Returns the map of a convolution's adjoint in x. */
  static AxisMap adjoint(int extent, int stride, int pad, boolean circular) {
    return new AxisMap(extent, 1, -1, pad, stride, circular);
  }

  /**
   * Returns the adjoint of a convolution with three taps and stride 1 as a convolution with
   * reversed taps.
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
