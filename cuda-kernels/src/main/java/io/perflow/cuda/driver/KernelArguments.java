package io.perflow.cuda.driver;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * The arguments of one launch, checked one by one against the parameter list of the kernel's PTX: a
 * wrong list gives silent garbage on a device, but here an error that names the parameter.
 *
 * <pre>{@code
 * var args = KernelArguments.of("axpy", params, arena).pointer(x).pointer(y).f32(2f).s32(n);
 * driver.launchKernel(axpy, blocks, 1, 1, 256, 1, 1, 0, stream, args.segments());
 * }</pre>
 */
public final class KernelArguments {
  private final String kernel;
  private final List<Param> params;
  private final Arena arena;
  private final MemorySegment[] segments;
  private int next;

  private KernelArguments(String kernel, List<Param> params, Arena arena) {
    this.kernel = kernel;
    this.params = params;
    this.arena = arena;
    this.segments = new MemorySegment[params.size()];
  }

  /**
   * Returns an empty list for a kernel; the arena holds the values until the launch has been
   * queued.
   */
  public static KernelArguments of(String kernel, List<Param> params, Arena arena) {
    return new KernelArguments(kernel, List.copyOf(params), arena);
  }

  /** Adds a device address. */
  public KernelArguments pointer(long address) {
    take("a pointer", 8, "u64", "b64").set(ValueLayout.JAVA_LONG, 0, address);
    return this;
  }

  /** Adds a 64-bit integer. */
  public KernelArguments s64(long value) {
    take("a 64-bit integer", 8, "u64", "s64", "b64").set(ValueLayout.JAVA_LONG, 0, value);
    return this;
  }

  /** Adds a 32-bit integer, signed or not. */
  public KernelArguments s32(int value) {
    take("a 32-bit integer", 4, "u32", "s32", "b32").set(ValueLayout.JAVA_INT, 0, value);
    return this;
  }

  /** Adds a float. */
  public KernelArguments f32(float value) {
    take("a float", 4, "f32").set(ValueLayout.JAVA_FLOAT, 0, value);
    return this;
  }

  /** Adds a double. */
  public KernelArguments f64(double value) {
    take("a double", 8, "f64").set(ValueLayout.JAVA_DOUBLE, 0, value);
    return this;
  }

  /**
   * Adds a structure, copied byte by byte; the caller lays it out as the CUDA C source declares it.
   */
  public KernelArguments struct(MemorySegment value) {
    take("a structure", value.byteSize(), "b8").copyFrom(value);
    return this;
  }

  /** Returns one segment for each parameter, once all of them are given. */
  public MemorySegment[] segments() {
    if (next < segments.length) {
      throw new IllegalArgumentException(
          "%s takes %d arguments, %d given; the next is %s"
              .formatted(kernel, segments.length, next, params.get(next)));
    }
    return segments.clone();
  }

  private MemorySegment take(String what, long bytes, String... types) {
    if (next == segments.length) {
      throw new IllegalArgumentException(
          "%s takes %d arguments, %s is one too many".formatted(kernel, segments.length, what));
    }
    Param param = params.get(next);
    if (param.bytes() != bytes || !List.of(types).contains(param.type())) {
      throw new IllegalArgumentException(
          "argument %d of %s is %s of %d bytes, its PTX declares %s of %d bytes"
              .formatted(next, kernel, what, bytes, param, param.bytes()));
    }
    return segments[next++] = arena.allocate(bytes, param.alignment());
  }
}
