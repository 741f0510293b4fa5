package io.perflow.flow;

import io.perflow.physics.prior.GaussianPrior;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Json;
import io.perflow.tensor.io.SafeTensors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/** The Gaussian prior in a model's file, or in a file of its own. */
final class PriorFile {
  /** The name of the metadata. */
  static final String PRIOR = "prior";

  /** The prior of a run. */
  static final String FILE = "prior.safetensors";

  private PriorFile() {}

  /** Reads the prior of a flow. */
  static GaussianPrior read(Path file, FlowConfig config) throws IOException {
    try (SafeTensors open = SafeTensors.read(file)) {
      String text = open.metadata().get(PRIOR);
      if (text == null) {
        throw new FileFormatException(
            file.toString(), null, "the flow's Gaussian prior is missing");
      }
      Map<String, Tensor> tensors = new LinkedHashMap<>();
      for (String name : open.names()) {
        if (name.startsWith(PRIOR + "/")) {
          tensors.put(name, open.load(name));
        }
      }
      return GaussianPrior.read(
          config.problem(), RectifiedFlow.projector(config), Json.parse(text), tensors);
    } catch (FileFormatException e) {
      throw new FileFormatException(file.toString(), null, e.getMessage(), e);
    }
  }

  /**
   * The prior that a run's directory holds, or else one that is learnt from the run's data, which
   * the directory holds then.
   */
  static GaussianPrior of(Path directory, FlowConfig config, Tensor training, Tensor validation)
      throws IOException {
    return readOrWrite(
        directory.resolve(FILE),
        config,
        () ->
            GaussianPrior.learn(
                config.problem(),
                RectifiedFlow.projector(config),
                training,
                validation,
                GaussianPrior.RANK));
  }

  /** The prior that a file holds, or else a new one, which the file holds then. */
  static GaussianPrior readOrWrite(Path file, FlowConfig config, Supplier<GaussianPrior> learn)
      throws IOException {
    if (!Files.exists(file)) {
      Files.createDirectories(file.toAbsolutePath().getParent());
      GaussianPrior prior = learn.get();
      SafeTensors.write(file, prior.tensors(), Map.of(PRIOR, Json.write(prior.toJson())));
    }
    return read(file, config); // also the first time, so that a resumed run has the same bits
  }
}
