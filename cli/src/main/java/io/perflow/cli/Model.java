package io.perflow.cli;

import io.perflow.flow.PerFlow;
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
import picocli.CommandLine.Model.CommandSpec;

/**
 * A model as options name it: a flow, a Gaussian prior for kriging, or a flow that starts from such
 * a prior.
 *
 * @param file the file that it was read from
 * @param trained the model
 */
public record Model(Path file, PerFlow trained) {
  /** The description of a model in options that take one. */
  static final String NAMED =
      "Model: a file, a directory that perflow train wrote to, or the name of a shipped model, such"
          + " as burgers.";

  /** Loads a model for a command, which shows how long it takes. */
  static Model load(CommandSpec spec, Path named) throws IOException {
    try (Progress _ = Progress.of(spec, "load " + named)) {
      return load(named);
    }
  }

  /** Loads a model from its file, or the best one of a directory that {@code train} wrote to. */
  public static Model load(Path named) throws IOException {
    Path file = file(named);
    return new Model(file, PerFlow.load(file));
  }

  /**
   * Returns the file of a model: the one named, the best one of a directory, or, for a bare name
   * such as {@code burgers} that is neither, the shipped model of this name.
   */
  static Path file(Path named) throws IOException {
    Path file = Files.isDirectory(named) ? named.resolve(Trainer.BEST) : named;
    if (Files.notExists(file) && !named.isAbsolute() && named.getNameCount() == 1) {
      file = Shipped.model(named.toString()).orElse(file);
    }
    if (file.toString().endsWith(".json")) {
      throw new IllegalArgumentException(
          "%s is not a model; perflow train writes one, named %s".formatted(file, Trainer.BEST));
    }
    return file;
  }

  /** Returns what a person should know about the file, one line each. */
  public List<String> notes() throws IOException {
    try (SafeTensors open = SafeTensors.read(file)) {
      return open.hasChecksums()
          ? List.of()
          : List.of(
              file + " has no checksums, as files of version 0.1: damage to it cannot be noticed");
    }
  }

  /** Returns the problem of the fields. */
  public Problem problem() {
    return trained.problem();
  }

  /** Returns the normalization of the fields. */
  public Normalization normalization() {
    return trained.normalization();
  }

  /** Returns the flow, if there is one. */
  public Optional<RectifiedFlow> flow() {
    return trained.flow();
  }

  /** Returns the Gaussian prior, if there is one. */
  public Optional<PriorModel> prior() {
    return trained.prior();
  }

  /** Returns the flow, for commands that can do nothing without one. */
  public RectifiedFlow requireFlow() {
    return flow()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "%s holds a Gaussian prior for kriging and no flow".formatted(file)));
  }

  /** Returns the prior, for kriging. */
  public PriorModel requirePrior() {
    return prior()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    ("%s has no Gaussian prior; learn one from its data: perflow train --system"
                            + " kriging")
                        .formatted(file)));
  }
}
