package io.perflow.nn;

import io.perflow.tensor.io.FileFormatException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;

/**
 * The format version of models and checkpoints, which their metadata contain together with the
 * version of the library that wrote them. A file without it is from version 0.1 and can be read; a
 * file of a later format is refused, because its numbers may have another meaning.
 */
public final class FormatVersion {
  /** The latest format that is read, which is also the one that is written. */
  public static final int LATEST = 2;

  private static final String FORMAT = "perflow.format";
  private static final String LIBRARY = "perflow.version";
  private static final String LIBRARY_VERSION = readVersion();

  private FormatVersion() {}

  /** Returns the version of the library. */
  public static String library() {
    return LIBRARY_VERSION;
  }

  /** Returns metadata with the versions added. */
  public static Map<String, String> stamped(Map<String, String> metadata) {
    Map<String, String> stamped = new LinkedHashMap<>(metadata);
    stamped.put(FORMAT, Integer.toString(LATEST));
    stamped.put(LIBRARY, LIBRARY_VERSION);
    return stamped;
  }

  /**
   * Refuses a file of a later format.
   *
   * @throws FileFormatException naming both formats and both versions of the library
   */
  public static void check(Path file, Map<String, String> metadata) throws FileFormatException {
    String format = metadata.getOrDefault(FORMAT, "1");
    if (!format.matches("[1-9][0-9]{0,8}")) {
      throw new FileFormatException(
          file.toString(),
          FORMAT,
          "'%s' is not a version: it must be a whole number".formatted(format));
    }
    if (Integer.parseInt(format) > LATEST) {
      throw new FileFormatException(
          file.toString(),
          null,
          "has format %s, written by perflow %s; this is perflow %s, which reads formats up to %d:"
                  .formatted(
                      format,
                      metadata.getOrDefault(LIBRARY, "of unknown version"),
                      LIBRARY_VERSION,
                      LATEST)
              + " use the newer version");
    }
  }

  private static String readVersion() {
    Properties properties = new Properties();
    try (InputStream in = FormatVersion.class.getResourceAsStream("nn.properties")) {
      properties.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return properties.getProperty("version");
  }
}
