package io.perflow.cuda.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.perflow.cuda.emulator.EmulatedDriver;
import io.perflow.cuda.ptx.PtxModule;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The same source by nvcc, PTX and the emulated device on one side, and by a C++ compiler on the
 * other: equal in every bit where no library function comes in.
 */
class FiberKernelsTest {
  private static final Path CUDA = Path.of("src/test/cuda");

  @Test
  void bothSidesAgreeInEveryBit(@TempDir Path directory) throws Exception {
    assumeTrue(FiberKernels.available(), "there is no g++");
    String ptx =
        Files.readString(Path.of("src/test/resources/io/perflow/cuda/emulator/computing.ptx"));
    PtxModule parsed = PtxModule.parse(ptx);
    var kernels = List.of("matmul", "group_norm", "philox", "collatz", "parting", "functions");
    FiberKernels fibers =
        FiberKernels.compile(
            Map.of(CUDA.resolve("computing.cu"), kernels), CUDA.resolve("fiber.h"), directory);
    var found = new TreeMap<String, ComparingDriver.Agreement>();
    CudaDriver d = ComparingDriver.of(EmulatedDriver.create(), fibers, found);
    d.init();
    d.ctxSetCurrent(d.devicePrimaryCtxRetain(0));
    long module = d.moduleLoadData(ptx);
    try (var arena = Arena.ofConfined()) {
      var r = new Random(1);
      long x = d.memAlloc(4000 * 4);
      MemorySegment host = arena.allocate(4000 * 4, 16);
      for (int i = 0; i < 4000; i++) {
        host.setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) r.nextGaussian());
      }
      d.memcpyHtoDAsync(x, host, 4000 * 4, 0);
      long y = d.memAlloc(48000 * 4);
      long z = d.memAlloc(4000 * 4);
      run(
          d,
          module,
          parsed,
          arena,
          "matmul",
          3,
          4,
          16,
          16,
          a -> a.pointer(x).pointer(x).pointer(y).s32(50).s32(37).s32(45));
      run(
          d,
          module,
          parsed,
          arena,
          "group_norm",
          4,
          1,
          128,
          1,
          a -> a.pointer(x).pointer(y).s32(1000).f32(1e-5f));
      MemorySegment counter = arena.allocate(16, 16);
      MemorySegment key = arena.allocate(8, 8);
      run(
          d,
          module,
          parsed,
          arena,
          "philox",
          2,
          1,
          64,
          1,
          a -> a.pointer(y).struct(counter).struct(key));
      run(d, module, parsed, arena, "collatz", 3, 1, 100, 1, a -> a.pointer(z).s32(290));
      run(d, module, parsed, arena, "parting", 1, 1, 96, 1, a -> a.pointer(z).pointer(y));
      run(
          d,
          module,
          parsed,
          arena,
          "functions",
          16,
          1,
          256,
          1,
          a -> a.pointer(x).pointer(y).s32(4000));
    }
    assertEquals(kernels.stream().sorted().toList(), List.copyOf(found.keySet()));
    found.forEach(
        (kernel, agreement) -> {
          assertTrue(agreement.words() > 0, kernel);
          // Two libraries of functions differ in last bits; a difference of 1 is what is tolerated.
          boolean exact = !kernel.equals("functions");
          assertEquals(
              exact ? 0 : agreement.different(), agreement.different(), kernel + agreement);
          assertTrue(agreement.largest() <= 1, kernel + agreement);
        });
  }

  private static void run(
      CudaDriver d,
      long module,
      PtxModule parsed,
      Arena arena,
      String kernel,
      int gridX,
      int gridY,
      int blockX,
      int blockY,
      java.util.function.UnaryOperator<KernelArguments> fill) {
    var arguments = fill.apply(KernelArguments.of(kernel, parsed.kernel(kernel).params(), arena));
    d.launchKernel(
        d.moduleGetFunction(module, kernel),
        gridX,
        gridY,
        1,
        blockX,
        blockY,
        1,
        0,
        0,
        arguments.segments());
  }
}
