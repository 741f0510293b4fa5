package io.perflow.cuda.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.perflow.cuda.emulator.EmulatedDriver;
import io.perflow.cuda.emulator.ptx.PtxModule;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * The same source by nvcc, PTX and the emulated device on one side, and by a C++ compiler on the
 * other: equal in every bit where no library function comes in.
 */
@ResourceLock(FiberKernels.ADDRESSES)
class FiberKernelsTest {
  @Test
  void bothSidesAgreeInEveryBit(@TempDir Path directory) throws Exception {
    assumeTrue(FiberKernels.available(), "there is no g++");
    String ptx = Files.readString(TestKernels.COMPUTING_PTX);
    PtxModule parsed = PtxModule.parse(ptx);
    List<String> kernels = parsed.kernels().keySet().stream().sorted().toList();
    var found = new TreeMap<String, ComparingDriver.Agreement>();
    try (FiberKernels fibers =
            FiberKernels.compile(
                Map.of(TestKernels.COMPUTING_CU, kernels),
                Path.of("src/test/cuda/fiber.h"),
                directory);
        var arena = Arena.ofConfined()) {
      CudaDriver d = ComparingDriver.of(EmulatedDriver.create(), fibers, found);
      d.init();
      d.ctxSetCurrent(d.devicePrimaryCtxRetain(0));
      launchAll(new Launcher(d, d.moduleLoadData(ptx), parsed, arena));
    }
    assertEquals(kernels, List.copyOf(found.keySet()));
    found.forEach(
        (kernel, agreement) -> {
          assertTrue(agreement.words() > 0, kernel);
          // Two libraries of functions differ in last bits; a difference of 1 is what is tolerated.
          boolean exact = !kernel.endsWith("functions");
          assertEquals(
              exact ? 0 : agreement.different(), agreement.different(), kernel + agreement);
          assertTrue(agreement.largest() <= 1, kernel + agreement);
        });
  }

  private record Launcher(CudaDriver d, long module, PtxModule parsed, Arena arena) {
    long random(int n, boolean integers) {
      var r = new Random(n);
      MemorySegment host = arena.allocate(4L * n, 16);
      for (int i = 0; i < n; i++) {
        if (integers) {
          host.setAtIndex(ValueLayout.JAVA_INT, i, r.nextInt() >> r.nextInt(31));
        } else {
          host.setAtIndex(ValueLayout.JAVA_FLOAT, i, 3 * (float) r.nextGaussian());
        }
      }
      long address = d.memAlloc(4L * n);
      d.memcpyHtoDAsync(address, host, 4L * n, 0);
      return address;
    }

    void run(String kernel, int grid, int block, UnaryOperator<KernelArguments> fill) {
      run(kernel, grid, 1, block, 1, fill);
    }

    void run(
        String kernel,
        int gridX,
        int gridY,
        int blockX,
        int blockY,
        UnaryOperator<KernelArguments> fill) {
      var empty = KernelArguments.of(kernel, parsed.kernel(kernel).params(), arena);
      d.launchKernel(
          d.moduleGetFunction(module, kernel),
          gridX,
          gridY,
          1,
          blockX,
          blockY,
          1,
          4096,
          0,
          fill.apply(empty).segments());
    }
  }

  private static void launchAll(Launcher l) {
    long x = l.random(4000, false);
    long p = l.random(2000, true);
    long q = l.random(2001, true);
    long y = l.d.memAlloc(4L * 48000);
    long z = l.d.memAlloc(4L * 4000);
    MemorySegment counter = l.arena.allocate(16, 16);
    MemorySegment key = l.arena.allocate(8, 8);
    MemorySegment box = l.arena.allocate(24, 8);
    box.set(ValueLayout.JAVA_FLOAT, 0, 0.3f);
    l.run("matmul", 3, 4, 16, 16, a -> a.pointer(x).pointer(x).pointer(y).s32(50).s32(37).s32(45));
    l.run("group_norm", 4, 128, a -> a.pointer(x).pointer(y).s32(1000).f32(1e-5f));
    l.run("philox", 2, 64, a -> a.pointer(y).struct(counter).struct(key));
    l.run("collatz", 3, 100, a -> a.pointer(z).s32(290));
    l.run("parting", 1, 96, a -> a.pointer(z).pointer(y));
    l.run("functions", 16, 256, a -> a.pointer(x).pointer(y).s32(4000));
    l.run("integers", 8, 256, a -> a.pointer(p).pointer(q).pointer(y).s32(1000));
    l.run("histogram", 8, 256, a -> a.pointer(p).pointer(z).pointer(q).pointer(q + 4).s32(2000));
    l.run("bytes", 1, 64, a -> a.pointer(p).pointer(y));
    l.run("warp_reverse", 1, 128, a -> a.pointer(x).pointer(y));
    l.run("addressing", 1, 64, a -> a.struct(box).pointer(x).pointer(y).s32(64));
    MemorySegment wide = l.arena.allocate(8L * 500, 16);
    for (int i = 0; i < 500; i++) {
      wide.setAtIndex(ValueLayout.JAVA_DOUBLE, i, i * 0.13 - 30);
    }
    long v = l.d.memAlloc(8L * 500);
    l.d.memcpyHtoDAsync(v, wide, 8L * 500, 0);
    l.run("double_functions", 2, 256, a -> a.pointer(v).pointer(y).s32(500));
  }
}
