package io.perflow.cli;

/** Placeholder. */
final class InitCommand {
  static final String PROBLEM = "problem.json";
  static final String TRAIN = "train.safetensors";
  static final String VALIDATION = "val.safetensors";
}
