package io.perflow.nn.distributed;

import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A file that travels with the work of an {@link Engine}, so that other machines need not see it:
 * its name and its bytes.
 *
 * @param name the file's name without its directory, which readers need that tell formats apart by
 *     names
 * @param bytes the content, less than 2 GB
 */
public record CarriedFile(String name, byte[] bytes) implements Serializable {
  /**
   * A function that reads a file.
   *
   * @param <T> the result of reading
   */
  @FunctionalInterface
  public interface Reader<T> {
    /** Reads the file, which is deleted afterwards. */
    T read(Path file) throws IOException;
  }

  /** Reads a file into memory, to be taken along. */
  public static CarriedFile of(Path file) throws IOException {
    return new CarriedFile(file.getFileName().toString(), Files.readAllBytes(file));
  }

  /** Writes a temporary copy, reads it and deletes it. */
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
