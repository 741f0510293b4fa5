package io.perflow.cuda.emulator;

import io.perflow.cuda.ptx.Operand;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The registers of a block: an array for each, with an element for each thread. Constants are
 * arrays too, so that an instruction need not know which of its operands is one.
 */
final class Registers {
  private record Constant(Kind kind, long bits) {}

  final int threads;
  private final Map<String, Object> named = new HashMap<>();
  private final Map<Constant, Object> constants = new HashMap<>();

  Registers(int threads) {
    this.threads = threads;
  }

  /** The array of a register, made when it is first met. */
  Object of(Operand.Register register) {
    return of(register.name(), Kind.ofType(register.type()));
  }

  /** The array of a register by name. */
  Object of(String name, Kind kind) {
    return named.computeIfAbsent(name, n -> kind.array(threads));
  }

  /** A register nobody else sees. */
  Object temporary(Kind kind) {
    return kind.array(threads);
  }

  /** A constant, given by its bits. */
  Object constant(Kind kind, long bits) {
    return constants.computeIfAbsent(new Constant(kind, bits), this::filled);
  }

  private Object filled(Constant c) {
    Object array = c.kind.array(threads);
    switch (array) {
      case int[] a -> Arrays.fill(a, (int) c.bits);
      case long[] a -> Arrays.fill(a, c.bits);
      case float[] a -> Arrays.fill(a, Float.intBitsToFloat((int) c.bits));
      case double[] a -> Arrays.fill(a, Double.longBitsToDouble(c.bits));
      case boolean[] a -> Arrays.fill(a, c.bits != 0);
      default -> throw new IllegalStateException("no kind " + c.kind);
    }
    return array;
  }
}
