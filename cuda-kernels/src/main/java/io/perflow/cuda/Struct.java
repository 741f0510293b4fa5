package io.perflow.cuda;

import io.perflow.tensor.DataType;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A structure in the layout of CUDA C: fields in order, each at a multiple of its size, the whole
 * padded to a multiple of the largest.
 */
final class Struct {
  private ByteBuffer bytes = ByteBuffer.allocate(64).order(ByteOrder.nativeOrder());
  private int alignment = 4;

  /** Adds 32-bit integers. */
  Struct ints(int... values) {
    for (int value : values) {
      room(4).putInt(value);
    }
    return this;
  }

  /** Adds a truth value, which is an int. */
  Struct flag(boolean value) {
    return ints(value ? 1 : 0);
  }

  /**
   * Adds the address of a tensor's first element; 0 for null. The caller keeps the tensor
   * reachable.
   */
  Struct address(long address) {
    room(8).putLong(address);
    return this;
  }

  /** Adds a number of a tensor's type. */
  Struct number(DataType type, double value) {
    switch (type) {
      case F32 -> room(4).putFloat((float) value);
      case F64 -> room(8).putDouble(value);
    }
    return this;
  }

  /** Adds {@code struct Divisor}: division of 0 … 2^31 - 1 by a number, as a multiplication. */
  Struct divisor(int divisor) {
    if (divisor < 1) {
      throw new IllegalArgumentException("divisor " + divisor + " must be at least 1");
    }
    int shift = 32 - Integer.numberOfLeadingZeros(divisor - 1); // of the next power of two
    long multiplier = ((1L << 32) * ((1L << shift) - divisor)) / divisor + 1;
    return ints(divisor, (int) multiplier, shift);
  }

  private ByteBuffer room(int size) {
    alignment = Math.max(alignment, size);
    int at = (bytes.position() + size - 1) / size * size;
    if (at + size > bytes.capacity()) {
      byte[] grown = Arrays.copyOf(bytes.array(), 2 * (at + size));
      bytes = ByteBuffer.wrap(grown).order(ByteOrder.nativeOrder());
    }
    return bytes.position(at);
  }

  /** Returns the bytes so far. */
  MemorySegment bytes() {
    int size = (bytes.position() + alignment - 1) / alignment * alignment;
    return MemorySegment.ofArray(Arrays.copyOf(bytes.array(), size));
  }
}
