package io.perflow.interop;

import java.nio.file.Path;

/**
 * Something in a file that is not read as an array of numbers.
 *
 * @param file where it is
 * @param name its name in the file; the file's own name when the whole file was passed over
 * @param reason why, and the cure where there is one
 */
public record SkippedArray(Path file, String name, String reason) {
  /** {@code run.h5: labels: texts}. */
  @Override
  public String toString() {
    return file + ": " + name + ": " + reason;
  }
}
