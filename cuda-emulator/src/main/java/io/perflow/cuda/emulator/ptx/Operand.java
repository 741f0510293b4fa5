package io.perflow.cuda.emulator.ptx;

import java.util.List;

/** What an instruction reads or writes. */
public sealed interface Operand {
  /** A virtual register; {@code type} is the declared one without the dot, as in {@code b32}. */
  record Register(String name, String type) implements Operand {
    @Override
    public String toString() {
      return name;
    }
  }

  /** A read-only register of the machine, as in {@code %tid.x}. */
  record Special(String name) implements Operand {
    @Override
    public String toString() {
      return name;
    }
  }

  /**
   * A constant. Integers are their value; floating-point literals are their IEEE bits, 32 of them
   * for {@code 0f…} and 64 for {@code 0d…}, which {@code real} tells apart from integers.
   */
  record Immediate(long bits, boolean real) implements Operand {}

  /** The address of a variable, a label, or the name of a function. */
  record Symbol(String name) implements Operand {
    @Override
    public String toString() {
      return name;
    }
  }

  /** Memory at a register, symbol or constant plus an offset in bytes. */
  record Address(Operand base, long offset) implements Operand {}

  /** Several registers taken together, as in {@code {%f1, %f2}}. */
  record Vector(List<Operand> elements) implements Operand {
    public Vector {
      elements = List.copyOf(elements);
    }
  }

  /** A destination with a predicate beside it, as in {@code %r1|%p1}. */
  record Pair(Operand first, Operand second) implements Operand {}

  /** The negation of a predicate. */
  record Not(Operand predicate) implements Operand {}

  /** The discarded destination {@code _}. */
  record Sink() implements Operand {}
}
