package io.perflow.cuda.emulator;

import io.perflow.cuda.emulator.ptx.Instruction;
import java.util.function.LongBinaryOperator;

/** Read, change and write back in one step; threads take their turns in ascending order. */
final class Atomic extends Access {
  private final Object result;
  private final Object operand;
  private final Object swap;
  private final LongBinaryOperator change;

  /**
   * {@code swap} is the new value of a compare-and-swap, otherwise null; an unused result is null
   * as well.
   */
  Atomic(
      Frame frame,
      Instruction at,
      Window window,
      Pointer to,
      Object result,
      Object operand,
      Object swap) {
    super(frame, at, Purpose.ATOMIC, window, to, Transfers.bytesOf(at.type()));
    this.result = result;
    this.operand = operand;
    this.swap = swap;
    this.change = at.has("cas") ? null : change(at);
  }

  @Override
  void transfer(byte[] data, int[] offsets, int[] lanes, int from, int to) {
    for (int k = from; k < to; k++) {
      int lane = lanes[k];
      long old =
          bytes == 8
              ? (long) Transfers.LONG.get(data, offsets[k])
              : (int) Transfers.INT.get(data, offsets[k]);
      long given = bits(operand, lane);
      long next =
          change != null ? change.applyAsLong(old, given) : old == given ? bits(swap, lane) : old;
      Transfers.put(data, offsets[k], bytes, next);
      if (result != null) {
        set(result, lane, old);
      }
    }
  }

  private static long bits(Object register, int lane) {
    return switch (register) {
      case int[] r -> r[lane];
      case long[] r -> r[lane];
      case float[] r -> Float.floatToRawIntBits(r[lane]);
      case double[] r -> Double.doubleToRawLongBits(r[lane]);
      default -> throw new IllegalStateException("no such register");
    };
  }

  private static void set(Object register, int lane, long bits) {
    switch (register) {
      case int[] r -> r[lane] = (int) bits;
      case long[] r -> r[lane] = bits;
      case float[] r -> r[lane] = Float.intBitsToFloat((int) bits);
      case double[] r -> r[lane] = Double.longBitsToDouble(bits);
      default -> throw new IllegalStateException("no such register");
    }
  }

  /**
   * Returns the change as a function of the bits of old value and operand; 32-bit numbers come with
   * their sign extended.
   */
  private static LongBinaryOperator change(Instruction i) {
    String type = i.type();
    if (i.has("add")) {
      return switch (type) {
        case "f32" -> Atomic::addFloats;
        case "f64" -> Atomic::addDoubles;
        default -> Long::sum;
      };
    }
    boolean unsigned = type.startsWith("u");
    if (i.has("min")) {
      return unsigned ? (a, b) -> Long.compareUnsigned(a, b) < 0 ? a : b : Math::min;
    }
    if (i.has("max")) {
      return unsigned ? (a, b) -> Long.compareUnsigned(a, b) > 0 ? a : b : Math::max;
    }
    return logic(i);
  }

  private static LongBinaryOperator logic(Instruction i) {
    for (String modifier : i.opcode()) {
      switch (modifier) {
        case "and" -> {
          return (a, b) -> a & b;
        }
        case "or" -> {
          return (a, b) -> a | b;
        }
        case "xor" -> {
          return (a, b) -> a ^ b;
        }
        case "exch" -> {
          return (a, b) -> b;
        }
        case "inc" -> {
          return (a, b) -> Long.compareUnsigned(a, b) >= 0 ? 0 : a + 1;
        }
        case "dec" -> {
          return (a, b) -> a == 0 || Long.compareUnsigned(a, b) > 0 ? b : a - 1;
        }
        default -> {}
      }
    }
    throw new IllegalArgumentException("the emulator does not know this atomic operation");
  }

  private static long addFloats(long a, long b) {
    float sum = Float.intBitsToFloat((int) a) + Float.intBitsToFloat((int) b);
    return Float.floatToRawIntBits(sum);
  }

  private static long addDoubles(long a, long b) {
    return Double.doubleToRawLongBits(Double.longBitsToDouble(a) + Double.longBitsToDouble(b));
  }
}
