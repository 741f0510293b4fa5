package io.perflow.cli;

import io.perflow.interop.ForeignDatasets;
import io.perflow.interop.ImportOptions;
import io.perflow.physics.Benchmark;
import io.perflow.physics.Dataset;
import io.perflow.physics.Normalization;
import io.perflow.physics.Scaling;
import io.perflow.physics.constraint.Constraint;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Turns a file of another project into a data set, and says how well it obeys its physics. */
@Command(
    name = "import",
    description = {
      "Make a data set of an HDF5, MATLAB or npz file.",
      "Arrays are found by the names that DiffusionPDE and FNO gave them, or by --array."
    })
final class ImportCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "BENCHMARK", description = "burgers, poisson, darcy or ns.")
  private String name;

  @Parameters(index = "1", paramLabel = "FILE", description = "HDF5, MATLAB 5, MATLAB 7.3 or npz.")
  private Path file;

  @Option(
      names = "--array",
      paramLabel = "QUANTITY=NAME",
      description = "The array of a quantity, such as p=pressure; w is vorticity.")
  private Map<String, String> arrays = Map.of();

  @Option(names = "--samples", description = "At most so many, the first ones; all by default.")
  private Integer samples;

  @Option(
      names = "--stride",
      defaultValue = "1",
      description = "Take every so many-th row and column (${DEFAULT-VALUE}).")
  private int stride;

  @Option(names = "--transpose", description = "Exchange rows and columns.")
  private boolean transpose;

  @Option(
      names = "--scaling",
      defaultValue = "unit",
      description = "Units for networks: unit, half or diffusionpde (${DEFAULT-VALUE}).")
  private String scaling;

  @Option(
      names = "--type",
      defaultValue = "F32",
      description = "Precision of the data set: ${COMPLETION-CANDIDATES} (${DEFAULT-VALUE}).")
  private DataType type;

  @Option(names = "--out", required = true, description = "File: *.safetensors or *.npz.")
  private Path out;

  @Option(names = "--force", description = "Replace the file if it is there.")
  private boolean force;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    if (Files.exists(out) && !force) {
      throw new IOException(
          out + " is there already; choose another --out, or replace it: --force");
    }
    Benchmark benchmark = Benchmark.of(name);
    int most = samples == null ? Integer.MAX_VALUE : samples;
    ImportOptions options =
        new ImportOptions(arrays, most, stride, transpose, type, Scaling.of(scaling));
    Dataset data = ForeignDatasets.read(file, benchmark, options);
    data.write(out);
    PrintWriter report = spec.commandLine().getOut();
    report.printf("%s: %s fields %s%n", out, benchmark, data.fields().shape());
    for (Constraint constraint : benchmark.constraints()) {
      Normalization units = data.normalization();
      report.printf(
          Locale.ROOT,
          "%s: mean square residual %.3g, in units of the network %.3g%n",
          constraint.name(),
          meanSquare(constraint, data, Normalization.identity(units.channels())),
          meanSquare(constraint.normalized(units), data, units));
    }
    return 0;
  }

  // In double precision, a sample at a time.
  private static double meanSquare(Constraint constraint, Dataset data, Normalization units) {
    double sum = 0;
    for (int i = 0; i < data.size(); i++) {
      try (Scope _ = Scope.open()) {
        Tensor field = data.fields().slice(0, i, i + 1).to(DataType.F64);
        sum += constraint.meanSquare(units.normalize(field)).item();
      }
    }
    return sum / data.size();
  }
}
