package io.perflow.nn.distributed;

import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A file that travels with the work of an {@link Engine}, so that other machines need not see it:
 * its name and its bytes.
 *
 * @param name without its directory; readers that tell formats by names need it
 * @param bytes the content, less than 2 GB
 */
public record CarriedFile(String name, byte[] bytes) implements Serializable {
  /**
   * What reads a file.
   *
   * @param <T> what it makes of it
   */
  @FunctionalInterface
  public interface Reader<T> {
    /** Reads it; the file is gone afterwards. */
    T read(Path file) throws IOException;
  }

  /** Takes a file along. */
  public static CarriedFile of(Path file) throws IOException {
    return new CarriedFile(file.getFileName().toString(), Files.readAllBytes(file));
  }

  /** Reads a copy that exists meanwhile. */
  public <T> T read(Reader<T> reader) throws IOException {
    Path directory = Files.createTempDirectory("perflow");
    Path copy = directory.resolve(name);
    try {
      return reader.read(Files.write(copy, bytes));
    } finally {
      Files.deleteIfExists(copy);
      Files.delete(directory);
    }
  }
}
