package io.perflow.tensor.io;

import io.perflow.tensor.DataType;
import java.nio.ByteBuffer;

/**
 * A type of number in files and the type of the tensor that it becomes: the narrowest that holds
 * every value. 64-bit integers beyond 2^53 are rounded to the nearest double, as NumPy's {@code
 * astype} does.
 */
enum ElementType {
  BOOL(1, DataType.F32),
  U8(1, DataType.F32),
  I8(1, DataType.F32),
  U16(2, DataType.F32),
  I16(2, DataType.F32),
  U32(4, DataType.F64),
  I32(4, DataType.F64),
  U64(8, DataType.F64),
  I64(8, DataType.F64),
  F16(2, DataType.F32),
  BF16(2, DataType.F32),
  F32(4, DataType.F32),
  F64(8, DataType.F64),
  /** Pairs (re, im) of F32. */
  C64(8, DataType.F32),
  /** Pairs (re, im) of F64. */
  C128(16, DataType.F64);

  private final int bytes;
  private final DataType target;

  ElementType(int bytes, DataType target) {
    this.bytes = bytes;
    this.target = target;
  }

  static ElementType of(DataType type) {
    return type == DataType.F32 ? F32 : F64;
  }

  /** Returns the bytes of one element in the file. */
  int bytes() {
    return bytes;
  }

  /** Returns the type of the tensor it becomes. */
  DataType target() {
    return target;
  }

  boolean isComplex() {
    return this == C64 || this == C128;
  }

  /** Returns the bytes of one number in the file; an element of a complex array is two. */
  int numberBytes() {
    return isComplex() ? bytes / 2 : bytes;
  }

  /** Converts the next {@code n} numbers, for types that become F32. */
  void decode(ByteBuffer in, float[] out, int n) {
    switch (this) {
      case F32, C64 -> in.asFloatBuffer().get(out, 0, n);
      case F16 -> {
        for (int i = 0; i < n; i++) {
          out[i] = Float.float16ToFloat(in.getShort());
        }
      }
      case BF16 -> {
        for (int i = 0; i < n; i++) {
          out[i] = Float.intBitsToFloat(in.getShort() << 16); // the upper half of an F32
        }
      }
      case I16 -> {
        for (int i = 0; i < n; i++) {
          out[i] = in.getShort();
        }
      }
      case U16 -> {
        for (int i = 0; i < n; i++) {
          out[i] = Short.toUnsignedInt(in.getShort());
        }
      }
      case I8 -> {
        for (int i = 0; i < n; i++) {
          out[i] = in.get();
        }
      }
      case U8 -> {
        for (int i = 0; i < n; i++) {
          out[i] = Byte.toUnsignedInt(in.get());
        }
      }
      case BOOL -> {
        for (int i = 0; i < n; i++) {
          out[i] = in.get() == 0 ? 0 : 1;
        }
      }
      default -> throw new IllegalStateException(this + " becomes " + target);
    }
  }

  /** Converts the next {@code n} numbers, for types that become F64. */
  void decode(ByteBuffer in, double[] out, int n) {
    switch (this) {
      case F64, C128 -> in.asDoubleBuffer().get(out, 0, n);
      case I32 -> {
        for (int i = 0; i < n; i++) {
          out[i] = in.getInt();
        }
      }
      case U32 -> {
        for (int i = 0; i < n; i++) {
          out[i] = Integer.toUnsignedLong(in.getInt());
        }
      }
      case I64 -> {
        for (int i = 0; i < n; i++) {
          out[i] = in.getLong();
        }
      }
      case U64 -> {
        for (int i = 0; i < n; i++) {
          out[i] = unsigned(in.getLong());
        }
      }
      default -> throw new IllegalStateException(this + " becomes " + target);
    }
  }

  // From 2^63 on: halve it, keep the lost bit sticky so that rounding is to nearest, and double the
  // result.
  private static double unsigned(long bits) {
    return bits >= 0 ? bits : 2 * (double) ((bits >>> 1) | (bits & 1));
  }
}
