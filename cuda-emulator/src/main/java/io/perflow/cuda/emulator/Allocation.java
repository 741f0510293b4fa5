package io.perflow.cuda.emulator;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** A piece of device memory with unique addresses, which are not reused after it is freed. */
final class Allocation {
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  /** A pattern that is a NaN as half, float and double, and a large number as an integer. */
  private static final int POISON = 0x7ff77ff7;

  final long base;
  final byte[] data;
  final String origin;
  private Shadow shadow;
  private String freedAt = "";

  /** {@code origin} says who made it. */
  Allocation(long base, int bytes, String origin) {
    this.base = base;
    this.data = new byte[bytes];
    this.origin = origin;
    poison(data);
  }

  /** Overwrites memory with NaNs. */
  static void poison(byte[] memory) {
    int i = 0;
    for (; i + 4 <= memory.length; i += 4) {
      INT.set(memory, i, POISON);
    }
    for (; i < memory.length; i++) {
      memory[i] = (byte) (POISON >> 8 * (i & 3));
    }
  }

  /** Returns the race detector's memory, made when a kernel first touches this one. */
  Shadow shadow(int shift) {
    if (shadow == null || shadow.shift() > shift) {
      shadow = new Shadow(data.length, shift);
    }
    return shadow;
  }

  void free(String where) {
    freedAt = where;
    shadow = null;
  }

  boolean freed() {
    return !freedAt.isEmpty();
  }

  String freedAt() {
    return freedAt;
  }

  @Override
  public String toString() {
    return "%d bytes at %#x made by %s".formatted(data.length, base, origin);
  }
}
