package io.perflow.cuda.emulator;

import io.perflow.cuda.emulator.ptx.Instruction;

/**
 * An instruction that accesses memory. It first locates each thread's address and checks bounds,
 * alignment and order; then the values are moved, by {@link #transfer}, in runs of threads whose
 * addresses lie in the same piece of memory.
 */
abstract class Access implements Op {
  /** The kind of access. */
  enum Purpose {
    LOAD,
    STORE,
    ATOMIC
  }

  final Frame frame;
  final Instruction at;
  final Purpose purpose;

  /** Bytes each thread touches; its address must be a multiple of them. */
  final int bytes;

  private final int[] base32;
  private final long[] base64;
  private final long offset;
  private final Window window;
  private final boolean constant;
  private Allocation near;

  /** {@code window} is null for a generic address, which itself determines the memory. */
  Access(Frame frame, Instruction at, Purpose purpose, Window window, Pointer to, int bytes) {
    this.frame = frame;
    this.at = at;
    this.purpose = purpose;
    this.window = window;
    this.base32 = to.base instanceof int[] b ? b : null;
    this.base64 = to.base instanceof long[] b ? b : null;
    this.offset = to.offset;
    this.bytes = bytes;
    this.constant = at.has("nc");
  }

  /** The address operand: a register of 32 or 64 bits and a displacement. */
  record Pointer(Object base, long offset) {}

  /** Moves values; {@code offsets[k]} is where in {@code data} the access of lanes[k] begins. */
  abstract void transfer(byte[] data, int[] offsets, int[] lanes, int from, int to);

  final long address(int lane) {
    return base64 != null ? base64[lane] + offset : (base32[lane] & 0xffffffffL) + offset;
  }

  @Override
  public void run(int[] lanes, int from, int to) {
    for (int k = from; k < to; ) {
      Window here = window == null ? Window.of(address(lanes[k])) : window;
      k =
          switch (here) {
            case GLOBAL -> global(lanes, k, to);
            case SHARED -> shared(lanes, k, to);
            case LOCAL -> local(lanes, k, to);
            case CONST -> constant(frame.image.constants, lanes, k, to, here);
            case PARAM -> constant(frame.parameters, lanes, k, to, here);
          };
    }
  }

  private int global(int[] lanes, int from, int to) {
    Allocation m = near;
    if (m == null || m.freed() || !holds(m, address(lanes[from]))) {
      m = locate(lanes[from]);
    }
    int[] offsets = frame.offsets;
    long last = (long) m.data.length - bytes;
    int k = from;
    for (; k < to; k++) {
      long relative = address(lanes[k]) - m.base;
      if (relative < 0 || relative > last) {
        break;
      }
      offsets[k] = (int) relative;
    }
    aligned(offsets, lanes, from, k);
    if (frame.checksRaces) {
      ordered(
          m.shadow(frame.program.globalShift), frame.firstSerial, false, offsets, lanes, from, k);
    }
    if (frame.counters != null) {
      frame.counters.global(this, offsets, lanes, from, k);
    }
    transfer(m.data, offsets, lanes, from, k);
    return k;
  }

  private boolean holds(Allocation m, long address) {
    return address >= m.base && address - m.base <= (long) m.data.length - bytes;
  }

  private Allocation locate(int lane) {
    long address = address(lane);
    near = frame.memory.find(address, bytes);
    if (near == null) {
      KernelFault missing = frame.memory.missing(address, bytes, purpose.name().toLowerCase());
      throw frame.fault(missing, at, lane);
    }
    return near;
  }

  private int shared(int[] lanes, int from, int to) {
    int k = within(Window.SHARED, frame.sharedBytes, lanes, from, to);
    int[] offsets = frame.offsets;
    if (frame.checksRaces) {
      ordered(frame.sharedShadow, frame.serial, true, offsets, lanes, from, k);
    }
    if (frame.counters != null) {
      frame.counters.shared(this, offsets, lanes, from, k);
    }
    transfer(frame.shared, offsets, lanes, from, k);
    return k;
  }

  private int local(int[] lanes, int from, int to) {
    int size = frame.program.localBytes;
    int k = within(Window.LOCAL, size, lanes, from, to);
    int[] offsets = frame.offsets;
    for (int i = from; i < k; i++) {
      offsets[i] += lanes[i] * size;
    }
    transfer(frame.local, offsets, lanes, from, k);
    return k;
  }

  private int constant(byte[] memory, int[] lanes, int from, int to, Window here) {
    if (purpose != Purpose.LOAD) {
      throw frame.fault(KernelFault.Kind.READ_ONLY, at, lanes[from], "a store to ." + here);
    }
    int k = within(here, memory.length, lanes, from, to);
    transfer(memory, frame.offsets, lanes, from, k);
    return k;
  }

  /** Offsets into a memory that belongs to the block or the kernel. */
  private int within(Window here, int size, int[] lanes, int from, int to) {
    int[] offsets = frame.offsets;
    if (base32 != null && lanes == frame.identity && inside(base32, size, from, to)) {
      return to;
    }
    long start = window == null ? here.base : 0;
    int k = from;
    for (; k < to; k++) {
      long relative = address(lanes[k]) - start;
      if (relative < 0 || relative > size - bytes) {
        if (window == null && Window.of(address(lanes[k])) != here) {
          break;
        }
        throw frame.fault(
            KernelFault.Kind.OUT_OF_BOUNDS,
            at,
            lanes[k],
            "%s of %d bytes at byte %d of %d of .%s"
                .formatted(purpose, bytes, relative, size, here)
                .toLowerCase());
      }
      offsets[k] = (int) relative;
    }
    aligned(offsets, lanes, from, k);
    return k;
  }

  /** Returns the usual case of neighbours with 32-bit addresses, without branches in the loop. */
  private boolean inside(int[] base, int size, int from, int to) {
    int[] offsets = frame.offsets;
    int displacement = (int) offset;
    int last = size - bytes;
    int outside = 0;
    int odd = 0;
    for (int k = from; k < to; k++) {
      int o = base[k] + displacement;
      offsets[k] = o;
      outside |= o | last - o;
      odd |= o;
    }
    return outside >= 0 && (odd & bytes - 1) == 0;
  }

  private void aligned(int[] offsets, int[] lanes, int from, int to) {
    int odd = 0;
    for (int k = from; k < to; k++) {
      odd |= offsets[k];
    }
    if ((odd & bytes - 1) != 0) {
      for (int k = from; k < to; k++) {
        if ((offsets[k] & bytes - 1) != 0) {
          throw frame.fault(
              KernelFault.Kind.MISALIGNED,
              at,
              lanes[k],
              "%d bytes at %#x, which is no multiple".formatted(bytes, address(lanes[k])));
        }
      }
    }
  }

  /** Runs the race detector, and checks that the memory read has been written. */
  private void ordered(
      Shadow shadow, int first, boolean own, int[] offsets, int[] lanes, int from, int to) {
    int refused =
        switch (purpose) {
          case LOAD -> shadow.read(frame, first, own, offsets, bytes, lanes, from, to);
          case STORE -> shadow.write(frame, first, offsets, bytes, lanes, from, to);
          case ATOMIC -> shadow.atomic(frame, first, own, offsets, bytes, lanes, from, to);
        };
    if (refused >= 0) {
      throw refused(shadow, offsets[refused], lanes[refused]);
    }
    if (constant) {
      for (int k = from; k < to; k++) {
        if (shadow.writtenSince(offsets[k], first)) {
          throw frame.fault(
              KernelFault.Kind.NOT_CONSTANT,
              at,
              lanes[k],
              "%#x is read as constant, but this launch writes it".formatted(address(lanes[k])));
        }
      }
    }
  }

  private KernelFault refused(Shadow shadow, int offset, int lane) {
    return shadow.refusedUninitialised()
        ? frame.fault(
            KernelFault.Kind.UNINITIALISED,
            at,
            lane,
            "%d bytes at byte %d of shared memory have not been written".formatted(bytes, offset))
        : frame.fault(
            KernelFault.Kind.RACE,
            at,
            lane,
            "%s of %d bytes at %#x, %s with no barrier between"
                .formatted(
                    purpose.name().toLowerCase(),
                    bytes,
                    address(lane),
                    shadow.refusedBecause(frame)));
  }
}
