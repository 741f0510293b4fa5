package io.perflow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.Dataset;
import io.perflow.physics.solver.Benchmark;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Settings;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

@Isolated("changes the number of threads of kernels")
class GenerateCommandTest {
  @TempDir Path directory;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void aSizeThatIsTooSmallIsNamed() {
    String file = directory.resolve("x.npz").toString();
    String[] args = {"generate", "poisson", "--size", "2", "--out", file};
    assertEquals(
        1, Main.run(new PrintWriter(out, true), new PrintWriter(err, true), Screen.NONE, args));
    assertEquals("perflow: [poisson] size is 2, must be at least 3", err.toString().strip());
  }

  private int run(String benchmark, Path file, String... more) {
    List<String> args =
        new ArrayList<>(List.of("generate", benchmark, "--size", "16", "--out", file.toString()));
    args.addAll(List.of(more));
    return Main.run(
        new PrintWriter(out, true),
        new PrintWriter(err, true),
        Screen.NONE,
        args.toArray(new String[0]));
  }

  static List<Benchmark> benchmarks() {
    return Benchmark.all();
  }

  @ParameterizedTest
  @MethodSource("benchmarks")
  void everyBenchmarkMakesADataSet(Benchmark benchmark) throws IOException {
    Path one = directory.resolve("one.safetensors");
    Path two = directory.resolve("two.safetensors");
    assertEquals(0, run(benchmark.name(), one, "--samples", "5", "--threads", "1"), err.toString());
    assertEquals(0, run(benchmark.name(), two, "--samples", "5", "--threads", "3"), err.toString());
    assertEquals(-1, Files.mismatch(one, two), "the same bits for any number of threads");
    Dataset data = Dataset.read(one);
    assertEquals(benchmark.generator("", 16).problem(), data.problem());
    assertEquals(Shape.of(5, data.problem().channelCount(), 16, 16), data.fields().shape());
    assertEquals(DataType.F32, data.fields().type());
    assertEquals(benchmark.presets().getFirst().name(), data.origin().get("preset"));
    assertEquals("", err.toString(), "nobody watches, so nothing is drawn");
    assertEquals(2, out.toString().lines().count());
    assertTrue(out.toString().contains("one.safetensors: 5 samples; "), out.toString());
    assertTrue(out.toString().contains(" samples/s on 1 thread"), out.toString());
  }

  @Test
  void optionsReachTheFile() throws IOException {
    Path file = directory.resolve("x.npz");
    int code =
        run(
            "darcy",
            file,
            "--split",
            "test",
            "--seed",
            "9",
            "--preset",
            "diffusionpde",
            "--scaling",
            "half",
            "--type",
            "F64");
    assertEquals(0, code, err.toString());
    Dataset data = Dataset.read(file);
    assertEquals(20, data.size(), "the paper tests with 20");
    assertEquals(DataType.F64, data.fields().type());
    Tensor normalized = data.normalization().normalize(data.fields());
    assertEquals(0.25, normalized.square().mean().item(), 1e-9, "a deviation of one half");
    assertEquals("test", data.origin().get("split"));
    assertEquals(9L, data.origin().get("seed"));
    assertTrue(data.origin().get("parameters").toString().contains("cells"), "" + data.origin());
  }

  @Test
  void theNumberOfKernelThreadsIsRestored() {
    int before = Settings.threads();
    assertEquals(0, run("burgers", directory.resolve("x.npz"), "--samples", "1"), err.toString());
    assertEquals(before, Settings.threads());
  }

  @Test
  void aFileThatIsThereIsNotLost() throws IOException {
    Path file = Files.writeString(directory.resolve("x.npz"), "precious");
    assertEquals(1, run("burgers", file, "--samples", "1"));
    assertTrue(err.toString().contains("is there already"), err.toString());
    assertEquals("precious", Files.readString(file));
    assertEquals(0, run("burgers", file, "--samples", "1", "--force"), err.toString());
    assertEquals(1, Dataset.read(file).size());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "euler   |                     | 1 | unknown benchmark 'euler'; known: burgers, poisson",
        "burgers | --preset=none       | 1 | burgers has no preset 'none'; it has paper,"
            + " diffusionpde",
        "burgers | --scaling=max       | 2 | --scaling",
        "burgers | --split=all         | 2 | --split",
        "burgers | --samples=0         | 2 | '--samples': '0' is not a whole number of at least 1",
        "darcy   | --preset=hard       | 1 | darcy has no preset 'hard'; it has paper,"
            + " diffusionpde",
      })
  void mistakesAreOneLine(String benchmark, String options, int code, String message) {
    Path file = directory.resolve("x.npz");
    String[] more = options == null ? new String[0] : options.split(" ");
    assertEquals(code, run(benchmark, file, more), err.toString());
    assertEquals(1, err.toString().lines().count(), err.toString());
    assertTrue(err.toString().contains(message), err.toString());
    assertFalse(Files.exists(file));
    assertFalse(Files.exists(directory.resolve("x.npz.part")));
  }
}
