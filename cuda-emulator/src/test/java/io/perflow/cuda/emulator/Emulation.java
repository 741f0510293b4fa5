package io.perflow.cuda.emulator;

import io.perflow.cuda.driver.KernelArguments;
import io.perflow.cuda.emulator.ptx.PtxModule;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** A module on an emulated device, with the few calls a test needs. */
final class Emulation implements AutoCloseable {
  private final Arena arena = Arena.ofShared();
  final EmulatedDriver driver;
  private final PtxModule parsed;
  private final long module;

  Emulation(EmulatedDriver.Builder builder, String ptx) {
    driver = builder.build();
    driver.init();
    driver.ctxSetCurrent(driver.devicePrimaryCtxRetain(driver.deviceGet(0)));
    parsed = PtxModule.parse(ptx);
    module = driver.moduleLoadData(ptx);
  }

  /** The text of a PTX file among the test resources. */
  static String ptx(String name) {
    try (var in = Emulation.class.getResourceAsStream(name + ".ptx")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Emulation of(String name) {
    return new Emulation(EmulatedDriver.builder(), ptx(name));
  }

  static Emulation of(String name, Schedule schedule) {
    return new Emulation(EmulatedDriver.builder().schedule(schedule), ptx(name));
  }

  /** Device memory with the content of native memory made by {@code fill}. */
  private long upload(long bytes, Consumer<MemorySegment> fill) {
    MemorySegment host = arena.allocate(bytes, 16);
    fill.accept(host);
    long address = driver.memAlloc(bytes);
    driver.memcpyHtoDAsync(address, host, bytes, 0);
    return address;
  }

  long floats(float... values) {
    return upload(4L * values.length, s -> s.copyFrom(MemorySegment.ofArray(values)));
  }

  long doubles(double... values) {
    return upload(8L * values.length, s -> s.copyFrom(MemorySegment.ofArray(values)));
  }

  long ints(int... values) {
    return upload(4L * values.length, s -> s.copyFrom(MemorySegment.ofArray(values)));
  }

  long empty(long bytes) {
    return driver.memAlloc(bytes);
  }

  private MemorySegment download(long address, long bytes) {
    MemorySegment host = arena.allocate(bytes, 16);
    driver.memcpyDtoHAsync(host, address, bytes, 0);
    driver.streamSynchronize(0);
    return host;
  }

  float[] floats(long address, int n) {
    return download(address, 4L * n).toArray(ValueLayout.JAVA_FLOAT);
  }

  double[] doubles(long address, int n) {
    return download(address, 8L * n).toArray(ValueLayout.JAVA_DOUBLE);
  }

  int[] ints(long address, int n) {
    return download(address, 4L * n).toArray(ValueLayout.JAVA_INT);
  }

  long[] longs(long address, int n) {
    return download(address, 8L * n).toArray(ValueLayout.JAVA_LONG);
  }

  MemorySegment struct(long bytes) {
    return arena.allocate(bytes, 16);
  }

  KernelArguments arguments(String kernel) {
    return KernelArguments.of(kernel, parsed.kernel(kernel).params(), arena);
  }

  /** Queues a launch with a grid and blocks of one or two extents. */
  void launch(String kernel, int[] grid, int[] block, int shared, KernelArguments arguments) {
    long function = driver.moduleGetFunction(module, kernel);
    driver.launchKernel(
        function,
        grid[0],
        grid.length > 1 ? grid[1] : 1,
        1,
        block[0],
        block.length > 1 ? block[1] : 1,
        1,
        shared,
        0,
        arguments.segments());
  }

  /** Queues a launch and waits for it. */
  LaunchReport run(String kernel, int grid, int block, KernelArguments arguments) {
    return run(kernel, new int[] {grid}, new int[] {block}, 0, arguments);
  }

  LaunchReport run(String kernel, int[] grid, int[] block, int shared, KernelArguments arguments) {
    launch(kernel, grid, block, shared, arguments);
    driver.streamSynchronize(0);
    return driver.reports().getLast();
  }

  @Override
  public void close() {
    arena.close();
  }
}
