package io.perflow.flow;

import io.perflow.nn.FormatVersion;
import io.perflow.physics.constraint.Constraint;
import io.perflow.physics.prior.GaussianPrior;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.SafeTensors;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * What the file of a flow holds beside its weights.
 *
 * @param config the configuration
 * @param prior the prior that the flow starts from; null for a flow from noise
 * @param calibration of the error bars; null before calibration
 */
record FlowFile(FlowConfig config, GaussianPrior prior, Calibration calibration) {
  /** The name of the configuration among the metadata. */
  static final String CONFIG = "flow";

  /**
   * Reads all but the weights.
   *
   * @param given constraints that were written in Java
   */
  static FlowFile read(Path file, List<Constraint> given) throws IOException {
    try (SafeTensors open = SafeTensors.read(file)) {
      FormatVersion.check(file, open.metadata());
      String text = open.metadata().get(CONFIG);
      if (text == null) {
        throw new IllegalArgumentException(
            "%s holds no flow: its metadata has %s, not '%s'; use a file written by training"
                .formatted(file, open.metadata().keySet(), CONFIG));
      }
      try {
        return read(open, FlowConfig.parse(text, given));
      } catch (FileFormatException | IllegalArgumentException e) { // which do not know the file
        throw new FileFormatException(file.toString(), null, e.getMessage(), e);
      }
    }
  }

  private static FlowFile read(SafeTensors open, FlowConfig config) throws IOException {
    requireWeights(open, config);
    return new FlowFile(
        config,
        config.fromPrior() ? PriorModel.read(open, config.problem(), config.normalization()) : null,
        PriorModel.calibration(open.metadata(), config.problem()).orElse(null));
  }

  // Check first: a line of text may ask for a network of any size.
  private static void requireWeights(SafeTensors open, FlowConfig config) throws IOException {
    long there = 0;
    for (String name : open.names()) {
      there += open.shape(name).size();
    }
    long needed = config.network().parameters();
    if (needed > there) {
      throw new IllegalArgumentException(
          "its network has %d weights, and the file holds %d numbers".formatted(needed, there));
    }
  }
}
