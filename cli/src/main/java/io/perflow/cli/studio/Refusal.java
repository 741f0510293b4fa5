package io.perflow.cli.studio;

/** A request that is not answered: the status of the reply and the line that says why. */
final class Refusal extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int status;

  Refusal(int status, String line) {
    super(line);
    this.status = status;
  }

  int status() {
    return status;
  }
}
