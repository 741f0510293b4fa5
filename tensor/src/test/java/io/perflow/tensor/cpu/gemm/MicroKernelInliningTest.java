package io.perflow.tensor.cpu.gemm;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.Images;
import io.perflow.tensor.Tensor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The compiler's report on the blocks of matrix products: no call in them may be bound by the types
 * seen at run time, which differ from one process to the next, and every vector operation must
 * become an instruction.
 */
class MicroKernelInliningTest {
  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"gemm.MicroKernel", "gemm.DoubleMicroKernel", "conv.NarrowKernel"})
  void typesAreKnownWithoutAProfile(String kernel) throws Exception {
    Path log = directory.resolve("log.txt");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--add-modules=jdk.incubator.vector",
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:-TieredCompilation", // one compiler, one report
                "-XX:CompileCommand=PrintInlining,io.perflow.tensor.cpu." + kernel + "::*",
                "-cp",
                System.getProperty("java.class.path"),
                Products.class.getName())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    boolean ended = process.waitFor(2, TimeUnit.MINUTES);
    process.destroyForcibly();
    List<String> report = Files.readAllLines(log);
    assertTrue(ended && process.exitValue() == 0, () -> String.join("\n", report));
    for (String operation : List.of("VectorSupport::store", "VectorSupport::ternaryOp")) {
      assertTrue(report.stream().anyMatch(line -> line.contains(operation)), operation);
    }
    for (String line : report) {
      assertFalse(line.contains("TypeProfile"), line);
      assertFalse(line.contains("VectorSupport::") && !line.contains("(intrinsic)"), line);
    }
  }

  /** Products of all kinds of blocks, until they have been compiled. */
  static final class Products {
    private Products() {}

    public static void main(String[] args) {
      int depth = 64;
      float[] a = new float[60 * depth + MicroKernel.TALL * depth];
      float[] b = new float[MicroKernel.NR * depth];
      float[] c = new float[60 * MicroKernel.NR];
      float[] start = new float[MicroKernel.NR];
      double[] da = new double[20 * depth];
      double[] db = new double[DoubleMicroKernel.NR * depth];
      double[] dc = new double[20 * DoubleMicroKernel.NR];
      Tensor image = Tensor.zeros(1, 16, 4, 6);
      Tensor narrow = Tensor.zeros(1, 16, 3, 3);
      for (int i = 0; i < 20_000; i++) {
        MicroKernel.rows(17, a, 0, depth, depth, b, 0, start, 0, c, 0, MicroKernel.NR);
        DoubleMicroKernel.rows(17, da, 0, depth, depth, db, 0, dc, 0, DoubleMicroKernel.NR);
        MicroKernel.panels(5, depth, a, 0, b, 0, c, 0, MicroKernel.NR);
        Images.conv2d(image, narrow, null, Conv2dSpec.of(1, 1));
      }
    }
  }
}
