package io.perflow.physics.interpolation;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.perflow.fixtures.Resources;
import io.perflow.tensor.io.Npz;
import java.io.IOException;
import java.util.Locale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every interpolation against scipy.interpolate (interpolation_golden.py). */
class GoldenInterpolationTest {
  @ParameterizedTest
  @ValueSource(strings = {"bounded", "cylinder", "torus", "few", "many"})
  void agreesWithSciPy(String name) throws IOException {
    try (Npz file = Npz.read(Resources.path("/physics/interpolation.npz"))) {
      double[] l = load(file, name + ".lattice");
      Lattice lattice = new Lattice((int) l[0], (int) l[1], l[2], l[3], l[4] == 1, l[5] == 1);
      for (Interpolation method : Interpolation.values()) {
        double[] field =
            method.fill(
                load(file, name + ".rows"),
                load(file, name + ".columns"),
                load(file, name + ".values"),
                lattice);
        String golden = name + "." + method.name().toLowerCase(Locale.ROOT);
        // positions are rounded to 1e-11 of a cell, and readings with noise may be close
        assertArrayEquals(load(file, golden), field, 1e-8, golden);
      }
    }
  }

  private static double[] load(Npz file, String name) throws IOException {
    return file.load(name).toDoubles();
  }
}
