package io.perflow.cli;

import io.perflow.flow.PriorModel;
import io.perflow.flow.RectifiedFlow;
import io.perflow.flow.Trainer;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.tensor.io.SafeTensors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A model as options name it: a flow, a Gaussian prior for kriging, or a flow that starts from such
 * a prior.
 *
 * @param file where it was read from
 * @param flow the network, if it has one
 * @param prior the Gaussian prior, if it has one
 */
public record Model(Path file, Optional<RectifiedFlow> flow, Optional<PriorModel> prior) {

  /** Loads a model from its file, or the best one of a directory that {@code train} wrote to. */
  public static Model load(Path named) throws IOException {
    Path file = file(named);
    if (PriorModel.isIn(file)) {
      return new Model(file, Optional.empty(), Optional.of(PriorModel.load(file)));
    }
    RectifiedFlow flow = RectifiedFlow.load(file);
    return new Model(file, Optional.of(flow), PriorModel.of(flow));
  }

  /** The file of a model: the one named, or the best one of a directory. */
  static Path file(Path named) {
    Path file = Files.isDirectory(named) ? named.resolve(Trainer.BEST) : named;
    if (file.toString().endsWith(".json")) {
      throw new IllegalArgumentException(
          "%s is no model; perflow train writes one, named %s".formatted(file, Trainer.BEST));
    }
    return file;
  }

  /** What a person should know about the file, one line each. */
  public List<String> notes() throws IOException {
    try (SafeTensors open = SafeTensors.read(file)) {
      return open.hasChecksums()
          ? List.of()
          : List.of(
              file + " has no checksums, as files of version 0.1: damage to it cannot be noticed");
    }
  }

  /** What the fields are of. */
  public Problem problem() {
    return flow.map(f -> f.config().problem()).orElseGet(() -> prior.orElseThrow().problem());
  }

  /** The normalization of the fields. */
  public Normalization units() {
    return flow.map(f -> f.config().units()).orElseGet(() -> prior.orElseThrow().units());
  }

  /** The flow, for commands that can do nothing without one. */
  public RectifiedFlow requireFlow() {
    return flow.orElseThrow(
        () ->
            new IllegalArgumentException(
                "%s holds a Gaussian prior for kriging and no flow".formatted(file)));
  }

  /** The prior, for kriging. */
  public PriorModel requirePrior() {
    return prior.orElseThrow(
        () ->
            new IllegalArgumentException(
                ("%s has no Gaussian prior; learn one from its data: perflow train --system"
                        + " kriging")
                    .formatted(file)));
  }

  /** Writes it in half precision. */
  void saveHalf(Path to) throws IOException {
    if (flow.isPresent()) {
      flow.get().saveHalf(to);
    } else {
      prior.orElseThrow().saveHalf(to);
    }
  }
}
