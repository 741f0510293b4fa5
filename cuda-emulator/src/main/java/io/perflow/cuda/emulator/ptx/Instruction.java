package io.perflow.cuda.emulator.ptx;

import java.util.List;

/**
 * One instruction: where it stands, the predicate it is guarded by if any, the opcode cut at its
 * dots and the operands in order. {@code guard} is a register, its {@link Operand.Not negation}, or
 * null.
 */
public record Instruction(int line, Operand guard, List<String> opcode, List<Operand> operands) {
  public Instruction {
    opcode = List.copyOf(opcode);
    operands = List.copyOf(operands);
  }

  /** Returns the first part of the opcode, as in {@code ld}. */
  public String base() {
    return opcode.get(0);
  }

  /** Returns whether the opcode has a modifier. */
  public boolean has(String modifier) {
    return opcode.contains(modifier);
  }

  /** Returns the last part of the opcode: the type of most instructions. */
  public String type() {
    return opcode.get(opcode.size() - 1);
  }

  /** Returns the whole opcode, as in {@code ld.global.f32}. */
  public String name() {
    return String.join(".", opcode);
  }
}
