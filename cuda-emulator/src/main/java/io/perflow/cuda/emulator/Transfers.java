package io.perflow.cuda.emulator;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** The loops that carry values between bytes of memory and registers. */
final class Transfers {
  static final VarHandle SHORT = view(short[].class);
  static final VarHandle INT = view(int[].class);
  static final VarHandle LONG = view(long[].class);
  private static final VarHandle FLOAT = view(float[].class);
  private static final VarHandle DOUBLE = view(double[].class);

  private Transfers() {}

  private static VarHandle view(Class<?> array) {
    return MethodHandles.byteArrayViewVarHandle(array, ByteOrder.LITTLE_ENDIAN);
  }

  /** Carries one element for each of the threads; {@code skip} is added to each offset. */
  interface Transfer {
    void run(byte[] data, int[] offsets, int skip, int[] lanes, int from, int to);
  }

  /**
   * Returns the loop from memory to a register. {@code half} says that the register has 16 bits, of
   * which a signed byte fills the upper ones with its sign.
   */
  static Transfer load(String type, Object register, boolean half) {
    int bytes = bytesOf(type);
    boolean signed = type.startsWith("s");
    return switch (register) {
      case float[] r when bytes == 4 -> floats(r);
      case double[] r when bytes == 8 -> doubles(r);
      case long[] r when bytes == 8 -> longs(r);
      case int[] r when bytes == 4 -> ints(r);
      case int[] r -> smallInts(r, bytes, signed, half ? 0xffff : -1);
      case long[] r -> smallLongs(r, bytes, signed);
      default -> throw new IllegalArgumentException("a load of " + type + " into " + register);
    };
  }

  private static Transfer floats(float[] r) {
    return (data, offsets, skip, lanes, from, to) -> {
      for (int k = from; k < to; k++) {
        r[lanes[k]] = (float) FLOAT.get(data, offsets[k] + skip);
      }
    };
  }

  private static Transfer doubles(double[] r) {
    return (data, offsets, skip, lanes, from, to) -> {
      for (int k = from; k < to; k++) {
        r[lanes[k]] = (double) DOUBLE.get(data, offsets[k] + skip);
      }
    };
  }

  private static Transfer longs(long[] r) {
    return (data, offsets, skip, lanes, from, to) -> {
      for (int k = from; k < to; k++) {
        r[lanes[k]] = (long) LONG.get(data, offsets[k] + skip);
      }
    };
  }

  private static Transfer ints(int[] r) {
    return (data, offsets, skip, lanes, from, to) -> {
      for (int k = from; k < to; k++) {
        r[lanes[k]] = (int) INT.get(data, offsets[k] + skip);
      }
    };
  }

  private static Transfer smallInts(int[] r, int bytes, boolean signed, int mask) {
    return (data, offsets, skip, lanes, from, to) -> {
      for (int k = from; k < to; k++) {
        r[lanes[k]] = (int) extended(data, offsets[k] + skip, bytes, signed) & mask;
      }
    };
  }

  private static Transfer smallLongs(long[] r, int bytes, boolean signed) {
    return (data, offsets, skip, lanes, from, to) -> {
      for (int k = from; k < to; k++) {
        r[lanes[k]] = extended(data, offsets[k] + skip, bytes, signed);
      }
    };
  }

  private static long extended(byte[] data, int at, int bytes, boolean signed) {
    long value =
        switch (bytes) {
          case 1 -> data[at];
          case 2 -> (short) SHORT.get(data, at);
          default -> (int) INT.get(data, at);
        };
    return signed ? value : value & (1L << 8 * bytes) - 1;
  }

  /**
   * Returns the loop from a register to memory; a register wider than the type gives its lower
   * bytes.
   */
  static Transfer store(String type, Object register) {
    int bytes = bytesOf(type);
    return switch (register) {
      case float[] r when bytes == 4 ->
          (data, offsets, skip, lanes, from, to) -> {
            for (int k = from; k < to; k++) {
              FLOAT.set(data, offsets[k] + skip, r[lanes[k]]);
            }
          };
      case double[] r when bytes == 8 ->
          (data, offsets, skip, lanes, from, to) -> {
            for (int k = from; k < to; k++) {
              DOUBLE.set(data, offsets[k] + skip, r[lanes[k]]);
            }
          };
      case int[] r when bytes <= 4 ->
          (data, offsets, skip, lanes, from, to) -> {
            for (int k = from; k < to; k++) {
              put(data, offsets[k] + skip, bytes, r[lanes[k]]);
            }
          };
      case long[] r ->
          (data, offsets, skip, lanes, from, to) -> {
            for (int k = from; k < to; k++) {
              put(data, offsets[k] + skip, bytes, r[lanes[k]]);
            }
          };
      default -> throw new IllegalArgumentException("a store of " + type + " from " + register);
    };
  }

  /** Writes the lower bytes of a value. */
  static void put(byte[] data, int at, int bytes, long value) {
    switch (bytes) {
      case 1 -> data[at] = (byte) value;
      case 2 -> SHORT.set(data, at, (short) value);
      case 4 -> INT.set(data, at, (int) value);
      default -> LONG.set(data, at, value);
    }
  }

  /** Returns the size of a type in bytes. */
  static int bytesOf(String type) {
    return switch (Kind.ofType(type)) {
      case LONG, DOUBLE -> 8;
      case FLOAT -> 4;
      case PREDICATE -> throw new IllegalArgumentException("predicates are not kept in memory");
      case INT -> Integer.parseInt(type.substring(1)) / 8;
    };
  }
}
