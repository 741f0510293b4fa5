package io.perflow.cuda.driver;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The loading of JCuda's native libraries, which unpacks them into a directory of this process. By
 * default, it writes them to the common temporary directory under fixed names and uses an existing
 * file of that name, whoever wrote it.
 */
final class JCudaNatives {
  private static final String PLACE = "java.io.tmpdir";
  private static Path directory;

  private JCudaNatives() {}

  /** Runs {@code touch}, which initialises a class of JCuda. */
  static synchronized void load(Runnable touch) {
    String before = System.getProperty(PLACE);
    try {
      if (directory == null) {
        directory = Files.createTempDirectory("perflow-jcuda");
        directory.toFile().deleteOnExit();
      }
      System.setProperty(PLACE, directory.toString());
      touch.run();
      try (var files = Files.list(directory)) {
        files.forEach(f -> f.toFile().deleteOnExit());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      System.setProperty(PLACE, before);
    }
  }
}
