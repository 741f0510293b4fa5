package io.perflow.tensor.disk;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;

/**
 * A line in a locked file that says which process has it and since when, so that others can name
 * it. It means nothing without the lock.
 */
public final class Owner {
  /** The length of the line, including the blanks and the line end that fill it up. */
  public static final int BYTES = 64;

  private Owner() {}

  /** Returns the line of this process, starting now. */
  public static byte[] me() {
    String text =
        "process %d since %s"
            .formatted(
                ProcessHandle.current().pid(), Instant.now().truncatedTo(ChronoUnit.SECONDS));
    byte[] line = Arrays.copyOf(text.getBytes(StandardCharsets.US_ASCII), BYTES);
    Arrays.fill(line, Math.min(text.length(), BYTES), BYTES, (byte) ' ');
    line[BYTES - 1] = '\n';
    return line;
  }

  /** Returns who has a file that could not be locked, from the line at a position. */
  public static String in(DiskFile file, long at) throws IOException {
    byte[] line = new byte[BYTES];
    String text = new String(line, 0, file.read(at, line), StandardCharsets.UTF_8);
    String shown = text.replaceAll("\\p{Cntrl}", " ").strip();
    return shown.isEmpty() ? "another process" : shown;
  }

  /** Returns the exception to throw when another run has a file or directory. */
  public static IOException inUse(Path path, String owner, String kind) {
    return new IOException(
        "%s is in use by %s; wait for its end, or choose another %s".formatted(path, owner, kind));
  }
}
