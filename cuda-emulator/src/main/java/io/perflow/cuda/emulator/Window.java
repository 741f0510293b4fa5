package io.perflow.cuda.emulator;

/**
 * The places of the private memories in the generic address space, far above all global addresses.
 * {@code cvta} adds the beginning of a window or takes it off.
 */
enum Window {
  GLOBAL(0),
  SHARED(1L << 48),
  LOCAL(2L << 48),
  CONST(3L << 48),
  PARAM(4L << 48);

  final long base;

  Window(long base) {
    this.base = base;
  }

  /** Returns the window a generic address lies in. */
  static Window of(long address) {
    long number = address >>> 48;
    return number < values().length ? values()[(int) number] : GLOBAL;
  }

  /** Returns the window named by a modifier of an opcode, or null. */
  static Window named(String modifier) {
    return switch (modifier) {
      case "global" -> GLOBAL;
      case "shared" -> SHARED;
      case "local" -> LOCAL;
      case "const" -> CONST;
      case "param" -> PARAM;
      default -> null;
    };
  }
}
