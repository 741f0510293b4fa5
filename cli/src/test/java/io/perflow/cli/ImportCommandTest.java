package io.perflow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.fixtures.Resources;
import io.perflow.physics.Axis;
import io.perflow.physics.Dataset;
import io.perflow.physics.Problem;
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
        new PrintWriter(out, true),
        new PrintWriter(err, true),
        Screen.NONE,
        args.toArray(new String[0]));
  }

  @Test
  void aMatlabFileBecomesADataSet() throws IOException {
    Path target = directory.resolve("ns.safetensors");
    assertEquals(0, run("ns", "ns.mat", target, "--type", "F64"), err.toString());
    Dataset data = Dataset.read(target);
    assertEquals("ns", data.problem().name());
    assertEquals(Shape.of(2, 20, 8, 8), data.fields().shape());
    assertEquals(DataType.F64, data.fields().type());
    String report = out.toString();
    assertTrue(report.contains("fields [2, 20, 8, 8] of ns"), report);
    assertTrue(
        report.matches(
            "(?s).*divergence-free: root mean square residual [0-9.]+e-1\\d in the data's units,"
                + " [0-9.]+e-1\\d normalized, which is rounding.*"),
        report);
  }

  @Test
  void dataThatBreakAConstraintAreRefusedWithTheNumber() throws IOException {
    Path target = directory.resolve("x.npz");
    assertEquals(1, run("darcy", "darcy.mat", target, "--array", "p=lognorm_p_data"));
    // pressures about 1, where 0 should be
    assertTrue(
        err.toString()
            .startsWith(
                "perflow: the data break the constraint dirichlet:p=0: root mean square residual"
                    + " 1.00 in the data's units, "),
        err.toString());
    assertFalse(Files.exists(target));
  }

  @Test
  void aPresetSaysWhereTheirPointsAre() throws IOException {
    Path target = directory.resolve("x.npz");
    assertEquals(
        0,
        run("darcy", "darcy.mat", target, "--preset", "diffusionpde", "--samples", "2"),
        err.toString());
    Dataset data = Dataset.read(target);
    assertEquals(2, data.size());
    assertEquals(Axis.Placement.CELLS, data.problem().grid().rows().placement());
    assertEquals(List.of(), data.problem().constraints(), "no point lies on a wall");
  }

  @Test
  void aProblemOfOnesOwnIsTakenFromItsFile() throws IOException {
    Problem own =
        Problem.named("soil")
            .axis("y", 0, 1, 5)
            .axis("x", 0, 2, 6)
            .channel("lognorm_a_data", "m")
            .channel("head", "m")
            .build();
    Path file = directory.resolve("problem.json");
    own.write(file);
    Path target = directory.resolve("x.npz");
    String[] more = {"--array", "head=thresh_p_data", "--transpose"};
    assertEquals(0, run(file.toString(), "darcy.mat", target, more), err.toString());
    Dataset data = Dataset.read(target);
    assertEquals(own, data.problem());
    assertEquals(Shape.of(3, 2, 5, 6), data.fields().shape());
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
    assertEquals(
        0,
        run("darcy", "darcy.mat", target, "--force", "--preset", "diffusionpde"),
        err.toString());
    assertEquals(3, Dataset.read(target).size());
  }
}
