package io.perflow.cuda.emulator;

import io.perflow.cuda.emulator.ptx.Operand;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
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
  private final Map<Kind, List<Object>> temporaries = new EnumMap<>(Kind.class);
  private final Map<Kind, Integer> taken = new EnumMap<>(Kind.class);

  Registers(int threads) {
    this.threads = threads;
  }

  /** Returns the array of a register, made when it is first met. */
  Object of(Operand.Register register) {
    return of(register.name(), Kind.ofType(register.type()));
  }

  /** Returns the array of a register by name. */
  Object of(String name, Kind kind) {
    return named.computeIfAbsent(name, n -> kind.array(threads));
  }

  /** Returns a register that no other operand of the instruction being translated uses. */
  Object temporary(Kind kind) {
    List<Object> pool = temporaries.computeIfAbsent(kind, k -> new ArrayList<>());
    int n = taken.merge(kind, 1, Integer::sum);
    if (pool.size() < n) {
      pool.add(kind.array(threads));
    }
    return pool.get(n - 1);
  }

  /** Frees the temporaries of the last instruction for the next one. */
  void nextInstruction() {
    taken.clear();
  }

  /** Returns a constant, given by its bits. */
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
