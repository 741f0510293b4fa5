package io.perflow.cuda.emulator;

import java.util.Arrays;
import java.util.function.IntUnaryOperator;

/**
 * The registers a kernel can only read: where a thread is in its block and the block in the grid.
 */
final class SpecialRegisters {
  private final Frame frame;
  private final Registers registers;

  SpecialRegisters(Frame frame, Registers registers) {
    this.frame = frame;
    this.registers = registers;
  }

  /** Returns the array of a register by its name, or null when it is not known. */
  Object of(String name) {
    int x = frame.sizeX;
    int y = frame.sizeY;
    return switch (name) {
      case "%tid.x" -> perThread(name, t -> t % x);
      case "%tid.y" -> perThread(name, t -> t / x % y);
      case "%tid.z" -> perThread(name, t -> t / (x * y));
      case "%ntid.x" -> registers.constant(Kind.INT, x);
      case "%ntid.y" -> registers.constant(Kind.INT, y);
      case "%ntid.z" -> registers.constant(Kind.INT, frame.sizeZ);
      case "%laneid" -> perThread(name, t -> t & 31);
      case "%warpid" -> perThread(name, t -> t >> 5);
      case "%nwarpid" -> registers.constant(Kind.INT, frame.live.length);
      case "%lanemask_eq" -> perThread(name, t -> 1 << t);
      case "%lanemask_lt" -> perThread(name, t -> (1 << t) - 1);
      case "%lanemask_le" -> perThread(name, t -> (1 << t) - 1 | 1 << t);
      case "%lanemask_gt" -> perThread(name, t -> -(1 << t) << 1);
      case "%lanemask_ge" -> perThread(name, t -> -(1 << t));
      case "%ctaid.x", "%ctaid.y", "%ctaid.z" -> registers.of(name, Kind.INT);
      case "%nctaid.x", "%nctaid.y", "%nctaid.z" -> registers.of(name, Kind.INT);
      case "%dynamic_smem_size", "%total_smem_size" -> registers.of(name, Kind.INT);
      default -> null;
    };
  }

  private Object perThread(String name, IntUnaryOperator value) {
    int[] array = (int[]) registers.of(name, Kind.INT);
    Arrays.setAll(array, value);
    return array;
  }

  void begin(Launch launch) {
    set("%nctaid.x", launch.gridX());
    set("%nctaid.y", launch.gridY());
    set("%nctaid.z", launch.gridZ());
    set("%dynamic_smem_size", launch.dynamicShared());
    set("%total_smem_size", frame.sharedBytes);
  }

  void beginBlock(int x, int y, int z) {
    set("%ctaid.x", x);
    set("%ctaid.y", y);
    set("%ctaid.z", z);
  }

  private void set(String name, int value) {
    Arrays.fill((int[]) registers.of(name, Kind.INT), value);
  }
}
