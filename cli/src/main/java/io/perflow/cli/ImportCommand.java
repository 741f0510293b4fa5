package io.perflow.cli;

import io.perflow.interop.ForeignDatasets;
import io.perflow.interop.ImportOptions;
import io.perflow.physics.DataResidual;
import io.perflow.physics.Dataset;
import io.perflow.physics.Problem;
import io.perflow.physics.Scaling;
import io.perflow.physics.solver.Benchmark;
import io.perflow.tensor.DataType;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * The command {@code import}, which turns a file of another project into a data set and says how
 * well it obeys its physics.
 */
@Command(
    name = "import",
    description = {
      "Make a data set of a known problem from an HDF5, MATLAB or npz file.",
      "Finds arrays by the names of the problem's quantities, for benchmarks also by the names that"
          + " DiffusionPDE and FNO use, or as --array says. If your data have no problem"
          + " description yet, use perflow init."
    })
final class ImportCommand implements Callable<Integer> {
  @Parameters(
      index = "0",
      paramLabel = "PROBLEM",
      description = "A benchmark's name (burgers, poisson, darcy, ns, heat) or a problem.json.")
  private String name;

  @Parameters(
      index = "1",
      paramLabel = "FILE",
      description = "HDF5, MATLAB 5, MATLAB 7.3 or npz file.")
  private Path file;

  @Option(
      names = "--array",
      paramLabel = "QUANTITY=NAME",
      description =
          "The array of a quantity, such as p=pressure. The quantity w stands for vorticity.")
  private Map<String, String> arrays = Map.of();

  @Option(
      names = "--preset",
      paramLabel = "NAME",
      defaultValue = "",
      description =
          "Convention of a benchmark's data, such as diffusionpde for darcy at cell centres. If"
              + " omitted, paper.")
  private String preset;

  @Option(
      names = "--samples",
      paramLabel = "N",
      converter = Count.class,
      description = "Largest number of samples; the first ones are kept. If omitted, all.")
  private Integer samples;

  @Option(
      names = "--stride",
      paramLabel = "N",
      converter = Count.class,
      defaultValue = "1",
      description = "Keep every n-th row and column (${DEFAULT-VALUE}).")
  private int stride;

  @Option(names = "--transpose", description = "Exchange rows and columns of the arrays.")
  private boolean transpose;

  @Option(
      names = "--scaling",
      paramLabel = "NAME",
      defaultValue = "unit",
      description = "Standard deviation of normalized fields: unit or half (${DEFAULT-VALUE}).")
  private Scaling scaling;

  @Option(
      names = "--type",
      paramLabel = "TYPE",
      defaultValue = "F32",
      description = "Precision of the data set: ${COMPLETION-CANDIDATES} (${DEFAULT-VALUE}).")
  private DataType type;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      required = true,
      description = "Data set to write, named *.safetensors or *.npz.")
  private Path out;

  @Option(names = "--force", description = "Replace an existing file.")
  private boolean force;

  @Mixin private JsonOption json = new JsonOption();

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    if (Files.exists(out) && !force) {
      throw new IOException(
          out + " is there already; choose another --out, or replace it: --force");
    }
    boolean described = name.endsWith(".json");
    if (described && !preset.isEmpty()) {
      throw new IllegalArgumentException(
          "--preset %s is for benchmarks; %s describes its own data".formatted(preset, name));
    }
    int most = samples == null ? Integer.MAX_VALUE : samples;
    ImportOptions options =
        ImportOptions.standard()
            .arrays(arrays)
            .samples(most)
            .stride(stride)
            .transpose(transpose)
            .type(type)
            .scaling(scaling);
    Dataset data;
    if (described) {
      data = ForeignDatasets.read(file, Problem.read(Path.of(name)), options);
    } else {
      Benchmark benchmark = Benchmark.named(name);
      Problem ours = benchmark.generator(preset, benchmark.size()).problem();
      // The file's authors may have solved the equation with other parameters.
      Problem problem = ours.toBuilder().equation(null).build();
      data = ForeignDatasets.read(file, problem, options.usual(benchmark.arrays()));
    }
    List<DataResidual> residuals = data.residuals();
    PrintWriter report = spec.commandLine().getOut();
    report.printf("%s: fields %s of %s%n", file, data.fields().shape(), data.problem().name());
    residuals.forEach(report::println);
    report.flush();
    DataResidual.refuseBroken(residuals);
    data.write(out);
    report.printf("written to %s%n", out);
    json.write(numbers(data, residuals));
    return 0;
  }

  private Map<String, Object> numbers(Dataset data, List<DataResidual> residuals) {
    Map<String, Object> numbers = new LinkedHashMap<>();
    numbers.put("file", out.toString());
    numbers.put("problem", data.problem().name());
    numbers.put("samples", data.size());
    numbers.put("constraints", residuals.stream().map(DataResidual::toJson).toList());
    return numbers;
  }
}
