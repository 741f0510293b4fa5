package io.perflow.cuda.emulator;

import io.perflow.cuda.emulator.ptx.Instruction;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;

/**
 * Copies from global to shared memory that run beside the threads. They happen as late as possible:
 * when the thread that started them waits. An earlier read returns the old contents, and
 * overwriting the source too early spoils the copy.
 */
final class AsyncCopies {
  /** A copy under way; what lies behind {@code used} bytes of the source is filled with zeros. */
  private record Copy(Instruction at, long target, long source, int bytes, int used, int group) {}

  private final Frame frame;
  private List<Deque<Copy>> pending;
  private int[] groups;

  AsyncCopies(Frame frame) {
    this.frame = frame;
  }

  void reset() {
    if (pending != null) {
      for (Deque<Copy> queue : pending) {
        queue.clear();
      }
      Arrays.fill(groups, 0);
    }
  }

  private void prepare() {
    if (pending == null) {
      pending = Stream.<Deque<Copy>>generate(ArrayDeque::new).limit(frame.threads).toList();
      groups = new int[frame.threads];
    }
  }

  /** Begins a copy of 4, 8 or 16 bytes. */
  Op copy(Instruction at, Access.Pointer to, Access.Pointer from, int bytes, int[] used) {
    prepare();
    return (lanes, first, end) -> {
      for (int k = first; k < end; k++) {
        int lane = lanes[k];
        int size = used == null ? bytes : Math.min(bytes, used[lane]);
        long target = address(to, lane);
        long source = address(from, lane);
        if ((target & bytes - 1) != 0 || (source & bytes - 1) != 0) {
          throw frame.fault(
              KernelFault.Kind.MISALIGNED,
              at,
              lane,
              "%d bytes from %#x to %#x".formatted(bytes, source, target));
        }
        pending.get(lane).add(new Copy(at, target, source, bytes, size, groups[lane]));
      }
    };
  }

  private static long address(Access.Pointer p, int lane) {
    long base = p.base() instanceof long[] b ? b[lane] : ((int[]) p.base())[lane] & 0xffffffffL;
    return base + p.offset();
  }

  /** Closes the group of copies begun so far. */
  Op commit() {
    prepare();
    return (lanes, from, to) -> {
      for (int k = from; k < to; k++) {
        groups[lanes[k]]++;
      }
    };
  }

  /** Waits until at most this number of groups is pending; -1 for all copies, committed or not. */
  Op waitFor(int allowed) {
    prepare();
    return (lanes, from, to) -> {
      for (int k = from; k < to; k++) {
        int lane = lanes[k];
        int until = allowed < 0 ? Integer.MAX_VALUE : groups[lane] - allowed;
        Deque<Copy> queue = pending.get(lane);
        while (!queue.isEmpty() && queue.peek().group < until) {
          finish(queue.poll(), lane);
        }
      }
    };
  }

  private void finish(Copy c, int lane) {
    Allocation m = frame.memory.find(c.source, Math.max(1, c.used));
    if (m == null && c.used > 0) {
      throw frame.fault(frame.memory.missing(c.source, c.used, "copy"), c.at, lane);
    }
    long place = c.target - (c.target >= Window.SHARED.base ? Window.SHARED.base : 0);
    if (place < 0 || place + c.bytes > frame.sharedBytes) {
      throw frame.fault(
          KernelFault.Kind.OUT_OF_BOUNDS,
          c.at,
          lane,
          "copy to byte %d of %d of shared memory".formatted(place, frame.sharedBytes));
    }
    int to = (int) place;
    if (frame.checksRaces) {
      int[] one = {lane};
      if (c.used > 0) {
        Shadow source = m.shadow(frame.program.globalShift);
        int[] from = {(int) (c.source - m.base)};
        int refused = source.read(frame, frame.firstSerial, false, from, c.used, one, 0, 1);
        check(refused, source, c, lane);
      }
      Shadow target = frame.sharedShadow;
      int[] at = {to};
      check(target.write(frame, frame.serial, at, c.bytes, one, 0, 1), target, c, lane);
    }
    Arrays.fill(frame.shared, to, to + c.bytes, (byte) 0);
    if (c.used > 0) {
      System.arraycopy(m.data, (int) (c.source - m.base), frame.shared, to, c.used);
    }
  }

  private void check(int refused, Shadow shadow, Copy c, int lane) {
    if (refused >= 0) {
      throw frame.fault(
          KernelFault.Kind.RACE,
          c.at,
          lane,
          "copy from %#x to shared byte %d, %s with no barrier between"
              .formatted(c.source, c.target, shadow.refusedBecause(frame)));
    }
  }
}
