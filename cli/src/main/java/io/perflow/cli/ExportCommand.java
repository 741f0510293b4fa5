package io.perflow.cli;

import io.perflow.flow.PriorModel;
import io.perflow.flow.baseline.Regression;
import io.perflow.flow.baseline.Surrogate;
import io.perflow.nn.onnx.OnnxExport;
import io.perflow.tensor.Named;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command {@code export}, which writes a model in half precision, or its network for other
 * runtimes.
 */
@Command(
    name = "export",
    description = {
      "Write a model for shipping, or its network for other runtimes.",
      "A model in half precision takes half the space and is used in the same way. Its network can"
          + " also be written as an ONNX file."
    })
final class ExportCommand implements Callable<Integer> {
  /** The formats that can be written. */
  private enum Format {
    SAFETENSORS,
    ONNX
  }

  @Option(names = "--model", required = true, paramLabel = "FILE", description = Model.NAMED)
  private Path model;

  @Option(names = "--out", paramLabel = "FILE", required = true, description = "File to write.")
  private Path out;

  @Option(
      names = "--format",
      paramLabel = "NAME",
      defaultValue = "safetensors",
      description =
          "safetensors writes the model in half precision; onnx writes the network with its"
              + " weights, in opset 17, for batches of any size (${DEFAULT-VALUE}).")
  private String format;

  @Mixin private JsonOption json = new JsonOption();

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    Path file = Model.file(model);
    if (Files.exists(out) && Files.exists(file) && Files.isSameFile(out, file)) {
      throw new IllegalArgumentException(
          "--out %s is the model itself; choose another file".formatted(out));
    }
    Format written = Named.parse(Format.class, format, "--format");
    if (!out.toString().endsWith("." + Named.of(written))) {
      throw new IllegalArgumentException(
          "%s: --format %s writes a file named *.%s"
              .formatted(out, Named.of(written), Named.of(written)));
    }
    switch (written) {
      case SAFETENSORS -> Model.load(spec, model).trained().saveHalf(out);
      case ONNX -> onnx(file).write(out);
    }
    long before = Files.size(file);
    spec.commandLine().getOut().printf("%s: %d bytes, from %d%n", out, Files.size(out), before);
    Map<String, Object> numbers = new LinkedHashMap<>();
    numbers.put("file", out.toString());
    numbers.put("bytes", Files.size(out));
    numbers.put("bytes_before", before);
    json.write(numbers);
    return 0;
  }

  private OnnxExport onnx(Path file) throws IOException {
    if (PriorModel.isIn(file)) {
      throw new IllegalArgumentException(
          "%s holds a Gaussian prior for kriging and no network: --format onnx has nothing to write"
              .formatted(file));
    }
    if (Surrogate.isIn(file)) {
      return Surrogate.load(file).onnx();
    }
    if (Regression.isIn(file)) {
      return Regression.load(file).onnx();
    }
    return Model.load(spec, file).requireFlow().onnx();
  }
}
