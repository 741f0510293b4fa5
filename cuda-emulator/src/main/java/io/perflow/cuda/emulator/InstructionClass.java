package io.perflow.cuda.emulator;

import io.perflow.cuda.emulator.ptx.Instruction;

/** The rough cost classes of instructions on a device, in which launches are counted. */
public enum InstructionClass {
  /** Multiply and add in float, rounded once. */
  FMA,
  /** Other arithmetic in float. */
  FLOAT,
  /** Arithmetic in double. */
  DOUBLE,
  /** Division, roots and elementary functions. */
  SPECIAL,
  /** Integer arithmetic, logic and shifts. */
  INTEGER,
  /** Comparisons and selections. */
  COMPARE,
  /** Conversions. */
  CONVERT,
  /** Moves, and reading parameters and constants. */
  MOVE,
  /** Loads from global or generic addresses. */
  GLOBAL_LOAD,
  /** Stores to global or generic addresses. */
  GLOBAL_STORE,
  /** Loads from shared memory. */
  SHARED_LOAD,
  /** Stores to shared memory. */
  SHARED_STORE,
  /** Local memory: spilled or indexed registers. */
  LOCAL,
  /** Atomic operations. */
  ATOMIC,
  /** Asynchronous copies. */
  ASYNC_COPY,
  /** Barriers and fences. */
  BARRIER,
  /** Shuffles, votes and the like. */
  WARP,
  /** Tensor cores. */
  TENSOR,
  /** Branches and exits. */
  BRANCH;

  static InstructionClass of(Instruction i) {
    return switch (i.base()) {
      case "ld", "ldu", "st" -> memory(i);
      case "atom", "red" -> ATOMIC;
      case "cp" -> ASYNC_COPY;
      case "bar", "barrier", "membar", "fence" -> BARRIER;
      case "shfl", "vote", "match", "redux", "activemask" -> WARP;
      case "wmma" -> TENSOR;
      case "bra", "brx", "ret", "exit", "trap" -> BRANCH;
      case "mov", "cvta" -> MOVE;
      case "cvt" -> CONVERT;
      case "setp", "selp", "testp" -> COMPARE;
      default -> arithmetic(i);
    };
  }

  private static InstructionClass memory(Instruction i) {
    boolean load = !i.base().equals("st");
    if (i.has("shared")) {
      return load ? SHARED_LOAD : SHARED_STORE;
    }
    if (i.has("local")) {
      return LOCAL;
    }
    if (i.has("param") || i.has("const")) {
      return MOVE;
    }
    return load ? GLOBAL_LOAD : GLOBAL_STORE;
  }

  private static InstructionClass arithmetic(Instruction i) {
    if (!i.type().startsWith("f")) {
      return INTEGER;
    }
    return switch (i.base()) {
      case "div", "rcp", "sqrt", "rsqrt", "ex2", "lg2", "sin", "cos", "tanh" -> SPECIAL;
      default ->
          i.type().equals("f64")
              ? DOUBLE
              : i.base().equals("fma") || i.base().equals("mad") ? FMA : FLOAT;
    };
  }
}
