package io.perflow.tensor;

/** The type of the numbers in a tensor. */
public enum DataType {
  /** 32-bit IEEE floating point, the type of networks and fields. */
  F32(4),
  /** 64-bit IEEE floating point, the type of solvers, certificates and gradient checks. */
  F64(8);

  private final int bytes;

  DataType(int bytes) {
    this.bytes = bytes;
  }

  /** Returns the bytes of one number. */
  public int bytes() {
    return bytes;
  }
}
