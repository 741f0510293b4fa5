package io.perflow.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.perflow.cuda.SelfTest.Verdict;
import io.perflow.cuda.driver.ComparingDriver;
import io.perflow.cuda.driver.ComparingDriver.Agreement;
import io.perflow.cuda.driver.CudaDriver;
import io.perflow.cuda.driver.FiberKernels;
import io.perflow.cuda.emulator.EmulatedDriver;
import io.perflow.cuda.emulator.ptx.PtxModule;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * The library's own CUDA C by a C++ compiler on fibers, launch by launch beside nvcc's PTX on the
 * emulated device: every kernel but that of tensor cores, whose matrices C++ has no words for.
 */
@ResourceLock(FiberKernels.ADDRESSES)
class KernelsOnFibersTest {
  private static final Path MAIN = Path.of("src/main/cuda");

  // Where nvcc may join a product and a sum, results are apart by the rounding of the product, in
  // units of what two libraries of functions may be.
  private static final double CONTRACTED = 10;

  @Test
  void everyKernelAgrees(@TempDir Path directory) throws Exception {
    assumeTrue(FiberKernels.available(), "there is no g++");
    Map<Path, List<String>> sources = new LinkedHashMap<>();
    Map<String, Boolean> exact = new TreeMap<>(); // whether nvcc was told to keep products apart
    for (String file : KernelLibrary.FILES) {
      if (!file.equals("tf32")) {
        Path source = MAIN.resolve(file + ".cu");
        boolean apart = Files.readString(source).startsWith("// flags: -fmad=false");
        PtxModule ptx = PtxModule.parse(KernelLibrary.text(file));
        sources.put(source, List.copyOf(ptx.kernels().keySet()));
        ptx.kernels().keySet().forEach(kernel -> exact.put(kernel, apart));
      }
    }
    Map<String, Agreement> found = new TreeMap<>();
    try (FiberKernels fibers =
        FiberKernels.compile(sources, Path.of("src/test/cuda/fiber.h"), directory)) {
      CudaDriver driver = ComparingDriver.of(EmulatedDriver.create(), fibers, found);
      driver.init();
      SelfTest test = SelfTest.of(CudaBackend.open(driver, 0, "compared"));
      test.run(outcome -> assertEquals(Verdict.EQUAL, outcome.verdict(), outcome::toString));
    }
    assertEquals(exact.keySet(), new TreeSet<>(found.keySet()));
    List<String> apart = new ArrayList<>();
    found.forEach(
        (kernel, agreement) -> {
          assertTrue(agreement.words() > 0, kernel);
          double allowed = exact.get(kernel) ? callsFunctions(kernel) ? 1 : 0 : CONTRACTED;
          boolean same = allowed == 0 ? agreement.different() == 0 : agreement.largest() <= allowed;
          if (!same) {
            apart.add(kernel + " " + agreement);
          }
        });
    assertEquals(
        List.of(),
        apart,
        "kernels that two compilers translate differently; one that calls a function such as exp"
            + " is listed in callsFunctions");
  }

  // Two libraries of functions differ in last bits.
  private static boolean callsFunctions(String kernel) {
    return kernel.matches(
        "(unary_(exp|log|sin|cos|tanh|sigmoid|silu|silu_grad|gelu|gelu_grad|erf|softplus)"
            + "|binary_(pow|atan2)|softmax|attention_weights|attention_scores_grad|normal|norm|norm_apply|norm_grad.*)"
            + "_f(32|64)");
  }
}
