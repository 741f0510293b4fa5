package io.perflow.cli.studio;

import io.perflow.cli.ReconstructionFiles;
import io.perflow.flow.Reconstruction;
import io.perflow.physics.Readings;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.Npz;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** The latest result of each page, for downloads. */
final class Results {
  private static final int PAGES = 4; // that are remembered

  private final Map<String, Result> latest =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Result> eldest) {
          return size() > PAGES;
        }
      };

  /**
   * What a page has.
   *
   * @param truth null when it is not known
   * @param made by each method whose samples are complete
   */
  private record Result(Readings readings, Tensor truth, Map<Method, Reconstruction> made) {}

  /** A file to download. */
  record Download(String name, String type, byte[] content) {}

  synchronized void begin(String page, Readings readings, Tensor truth) {
    latest.remove(page);
    latest.put(page, new Result(readings, truth, new LinkedHashMap<>()));
  }

  synchronized void add(String page, Readings readings, Method method, Reconstruction made) {
    Result result = latest.get(page);
    if (result != null && result.readings == readings) { // else there is a newer one
      result.made.put(method, made);
    }
  }

  /** The readings as a table. */
  Download table(String page) {
    String text = MeasuredSensors.table(result(page).readings);
    return new Download(
        "readings.csv", "text/csv", text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
  }

  /** Mean, deviation, samples and coordinates, as {@code perflow reconstruct} writes them. */
  Download arrays(String page, Method method) throws IOException {
    Path file = Files.createTempFile("perflow", ".npz");
    try {
      Npz.writeCompressed(file, ReconstructionFiles.arrays(made(page, method)));
      return new Download("fields.npz", "application/zip", Files.readAllBytes(file));
    } finally {
      Files.deleteIfExists(file);
    }
  }

  /** The figure that {@code perflow reconstruct} draws, with the truth where it is known. */
  Download figure(String page, Method method) {
    Result result = result(page);
    byte[] png =
        ReconstructionFiles.figure(made(page, method), result.readings, result.truth).png().bytes();
    return new Download("figure.png", "image/png", png);
  }

  private synchronized Result result(String page) {
    Result result = latest.get(page);
    if (result == null) {
      throw new Refusal(404, "there is no result of this page yet; place a sensor first");
    }
    return result;
  }

  private synchronized Reconstruction made(String page, Method method) {
    Reconstruction made = result(page).made.get(method);
    if (made == null) {
      throw new Refusal(
          404, "the samples of %s are not complete yet; wait for the last one".formatted(method));
    }
    return made;
  }
}
