package io.perflow.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.fixtures.Resources;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Npz;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;

/** Small files for tests of {@link FieldFinder}, and what it finds in them. */
abstract class FinderFiles {
  static final FinderOptions PLAIN = FinderOptions.standard();

  @TempDir Path directory;

  /** Fields whose numbers say where they are: the index in row-major order. */
  static Tensor counted(int... shape) {
    return Tensor.arange(Shape.of(shape).size()).reshape(shape);
  }

  static Tensor even(double from, double to, int points) {
    double[] values = new double[points];
    Arrays.setAll(values, i -> from + (to - from) * i / (points - 1));
    return Tensor.of(values, points);
  }

  Path npz(Object... namesAndArrays) throws IOException {
    Map<String, Tensor> arrays = new LinkedHashMap<>();
    for (int i = 0; i < namesAndArrays.length; i += 2) {
      arrays.put((String) namesAndArrays[i], (Tensor) namesAndArrays[i + 1]);
    }
    Path file = directory.resolve("plate.npz");
    Npz.write(file, arrays);
    return file;
  }

  static Found find(FinderOptions options, Path... paths) throws IOException {
    try (ArrayFiles files = ArrayFiles.open(List.of(paths))) {
      return FieldFinder.find(files, options);
    }
  }

  Path fixture(String name) throws IOException {
    return Files.copy(Resources.path("/interop/" + name), directory.resolve(name));
  }

  static String refused(FinderOptions options, Path... paths) {
    Exception e = assertThrows(Exception.class, () -> find(options, paths));
    assertTrue(e instanceof FileFormatException || e instanceof IllegalArgumentException, "" + e);
    assertEquals(1, e.getMessage().lines().count(), e.getMessage());
    return e.getMessage();
  }

  static void noted(Found found, String sentence) {
    assertTrue(found.notes().contains(sentence), String.join("\n", found.notes()));
  }

  static String axes(Found found) {
    return found.problem().grid().toString();
  }

  static Tensor waves(int count) {
    double[] numbers = new double[count * 256];
    Rng rng = Rng.of(3);
    for (int i = 0; i < count; i++) {
      double p = 6 * rng.nextDouble();
      double q = 6 * rng.nextDouble();
      for (int k = 0; k < 256; k++) {
        numbers[i * 256 + k] =
            Math.sin(Math.PI / 8 * (k / 16) + p) + Math.cos(Math.PI / 8 * (k % 16) + q);
      }
    }
    return Tensor.of(numbers, count, 16, 16).to(DataType.F32);
  }
}
