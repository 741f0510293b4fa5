package io.perflow.cli;

import io.perflow.cli.figure.HtmlReport;
import io.perflow.cli.figure.Png;
import io.perflow.flow.RunLock;
import io.perflow.flow.log.CsvLog;
import io.perflow.flow.log.TensorBoardLog;
import io.perflow.flow.log.TrainingLog;
import io.perflow.physics.Dataset;
import io.perflow.physics.Generation;
import io.perflow.physics.Problem;
import io.perflow.tensor.NonFinite;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Json;
import io.perflow.tensor.io.Npy;
import io.perflow.tensor.io.Npz;
import io.perflow.tensor.io.SafeTensors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** A check that reads a file completely and says what it is. */
final class CheckedFile {
  private static final String OPTIMIZER = "optimizer/"; // of a checkpoint's tensors

  private CheckedFile() {}

  /**
   * Returns what a file holds, after {@code sound} when checksums or its whole text were verified.
   *
   * @throws IOException when it is damaged
   * @throws IllegalArgumentException when its parts do not fit together
   */
  static String describe(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new NoSuchFileException(file.toString(), null, "there is no such file");
    }
    String name = file.getFileName().toString();
    String kind = name.substring(name.lastIndexOf('.') + 1);
    if (name.startsWith(TensorBoardLog.PREFIX)) {
      return "sound: an event file, checksums of %s verified"
          .formatted(Counted.of(TensorBoardLog.verify(file), "record"));
    }
    if (kind.matches("part(-\\d+-\\d+)?")) {
      return "sound: " + Generation.describePart(file);
    }
    return switch (kind) {
      case "safetensors" -> tensors(file);
      case "npz" -> archive(file);
      case "npy" -> "readable: an array " + finite(file, "array", Npy.read(file)).shape();
      case "json" -> text(file);
      case "csv" -> table(file, name);
      case "png" -> image(Png.read(file));
      case "html" -> report(file);
      case "tmp" -> "not checked: a file that is being written, or whose writer was killed";
      default ->
          name.equals(RunLock.FILE)
              ? "not checked: the lock of a run"
              : "not checked: of a kind without checksums";
    };
  }

  private static String tensors(Path file) throws IOException {
    String what;
    boolean checked;
    int count;
    try (SafeTensors open = SafeTensors.read(file)) {
      open.verify();
      for (String name : open.names()) {
        finite(file, name, open.load(name));
      }
      checked = open.hasChecksums();
      count = open.names().size();
      what = kind(open);
    }
    switch (what) {
      case "a data set" -> Dataset.read(file);
      case "a model" -> Model.load(file);
      default -> {}
    }
    return checked
        ? "sound: %s, checksums of %s verified".formatted(what, Counted.of(count, "tensor"))
        : "readable: %s without checksums, as of version 0.1; damage to it cannot be noticed"
            .formatted(what);
  }

  private static String kind(SafeTensors open) {
    if (open.metadata().containsKey("perflow")) {
      return "a data set";
    }
    if (open.names().stream().anyMatch(name -> name.startsWith(OPTIMIZER))) {
      return "a checkpoint";
    }
    boolean model = open.metadata().containsKey("flow") || open.metadata().containsKey("prior");
    return model ? "a model" : "tensors";
  }

  private static String archive(Path file) throws IOException {
    boolean dataset;
    int count;
    try (Npz open = Npz.read(file)) {
      for (Map.Entry<String, Tensor> array : open.loadAll().entrySet()) {
        finite(file, array.getKey(), array.getValue());
      }
      count = open.names().size();
      dataset = open.text("metadata.json").isPresent();
    }
    if (dataset) {
      Dataset.read(file);
    }
    return "sound: %s, checksums of %s verified"
        .formatted(dataset ? "a data set" : "arrays", Counted.of(count, "array"));
  }

  private static Tensor finite(Path file, String name, Tensor tensor) throws IOException {
    Optional<String> odd = NonFinite.in(tensor);
    if (odd.isPresent()) {
      throw new FileFormatException(file.toString(), name, "holds " + odd.get());
    }
    return tensor;
  }

  private static String text(Path file) throws IOException {
    Object json = Json.read(file);
    boolean problem = json instanceof Map<?, ?> members && members.containsKey("axes");
    return problem ? "sound: the problem " + Problem.read(file) : "readable: JSON";
  }

  private static String table(Path file, String name) throws IOException {
    return name.equals(TrainingLog.TRAIN) || name.equals(TrainingLog.VALIDATION)
        ? "sound: a table of " + Counted.of(CsvLog.read(file).get("step").length, "step")
        : CheckedTable.describe(file);
  }

  private static String image(Png png) {
    return "sound: an image of %d x %d pixels, all checksums verified"
        .formatted(png.width(), png.height());
  }

  private static String report(Path file) throws IOException {
    HtmlReport.verify(file);
    return "sound: a report, its checksum verified";
  }
}
