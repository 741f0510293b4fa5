package io.perflow;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Properties;

/** What can be said of the library as a whole. */
public final class Perflow {
  private static final String VERSION = read("version");

  private Perflow() {}

  /**
   * Version of the library.
   *
   * @return for instance {@code 0.2.0}
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
