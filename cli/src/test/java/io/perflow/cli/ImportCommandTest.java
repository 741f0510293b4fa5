package io.perflow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.fixtures.Resources;
import io.perflow.physics.Benchmark;
import io.perflow.physics.Dataset;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Shape;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ImportCommandTest {
  @TempDir Path directory;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String benchmark, String fixture, Path target, String... more)
      throws IOException {
    Path file = Resources.path("/physics/foreign/" + fixture);
    List<String> args = new ArrayList<>(List.of("import", benchmark, file.toString()));
    args.addAll(List.of("--out", target.toString()));
    args.addAll(List.of(more));
    return Main.run(
        new PrintWriter(out, true), new PrintWriter(err, true), args.toArray(new String[0]));
  }

  @Test
  void aMatlabFileBecomesADataSet() throws IOException {
    Path target = directory.resolve("ns.safetensors");
    assertEquals(0, run("ns", "ns.mat", target, "--type", "F64"), err.toString());
    Dataset data = Dataset.read(target);
    assertEquals(Benchmark.NS, data.benchmark());
    assertEquals(Shape.of(2, 20, 8, 8), data.fields().shape());
    assertEquals(DataType.F64, data.fields().type());
    String report = out.toString();
    assertTrue(report.contains("ns fields [2, 20, 8, 8]"), report);
    assertTrue(report.matches("(?s).*divergence-free: mean square residual [0-9.]+e-[23]\\d.*"));
  }

  @Test
  void dataThatDisobeyTheirPhysicsAreToldSo() throws IOException {
    Path target = directory.resolve("x.npz");
    assertEquals(
        0,
        run("darcy", "darcy.mat", target, "--array", "p=lognorm_p_data", "--samples", "2"),
        err.toString());
    assertEquals(2, Dataset.read(target).size());
    // pressures about 1, where 0 should be
    assertTrue(out.toString().contains("boundary: mean square residual 1.00"), out.toString());
  }

  @Test
  void mistakesAreOneLineAndLeaveNoFile() throws IOException {
    Path target = directory.resolve("x.npz");
    assertEquals(1, run("poisson", "darcy.mat", target));
    assertTrue(err.toString().contains("has no array f_data or f"), err.toString());
    assertEquals(1, err.toString().lines().count(), err.toString());
    assertFalse(Files.exists(target));
    Files.writeString(target, "precious");
    assertEquals(1, run("darcy", "darcy.mat", target));
    assertEquals("precious", Files.readString(target));
    assertEquals(0, run("darcy", "darcy.mat", target, "--force"), err.toString());
    assertEquals(3, Dataset.read(target).size());
  }
}
