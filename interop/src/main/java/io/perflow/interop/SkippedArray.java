package io.perflow.interop;

import java.nio.file.Path;

/**
 * An item in a file that is not read as an array of numbers.
 *
 * @param file the file that contains it
 * @param name its name in the file; the file's own name if the whole file was skipped
 * @param reason the reason why it was skipped, and the cure if there is one
 */
public record SkippedArray(Path file, String name, String reason) {
  /** Returns {@code run.h5: labels: texts}. */
  @Override
  public String toString() {
    return file + ": " + name + ": " + reason;
  }
}
