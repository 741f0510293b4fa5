package io.perflow;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Properties;

/** The library as a whole. */
public final class Perflow {
  private static final String VERSION = read("version");

  private Perflow() {}

  /**
   * Returns the version of the library.
   *
   * @return a version such as {@code 0.2.0}
   */
  public static String version() {
    return VERSION;
  }

  private static String read(String key) {
    var properties = new Properties();
    try (var in = Perflow.class.getResourceAsStream("perflow.properties")) {
      properties.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return properties.getProperty(key);
  }
}
