package io.perflow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Mistakes of a user and the one line that answers each: it names options and files. */
class UserMistakesTest {
  @TempDir static Path home;
  private static Path model;

  @BeforeAll
  static void trained() throws IOException {
    Plate.write(home);
    Shell.good(Plate.train(home, "--json"));
    model = home.resolve("run/best.safetensors");
  }

  private static void says(String expected, Object... args) {
    assertEquals("perflow: " + expected, Shell.bad(args));
  }

  private static Object[] train(Object... more) {
    return Plate.train(home, Shell.with(new Object[] {"--out", home.resolve("no")}, more));
  }

  private static Object[] reconstruct(Object... more) throws IOException {
    Path readings = Plate.readings(home);
    Object[] usual = {
      "reconstruct", "--model", model, "--observations", readings, "--out", home.resolve("no")
    };
    return Shell.with(usual, more);
  }

  private static Object[] evaluate(Object... more) {
    Object[] usual = {"evaluate", "--model", model, "--data", home.resolve("train.safetensors")};
    return Shell.with(usual, more);
  }

  @Test
  void trainingWithoutAnything() {
    says("name a problem.json, as perflow init writes it, or both --data and --out", "train");
  }

  @Test
  void numbersThatAreNone() throws IOException {
    String count = "Invalid value for option '%s': '%s' is not a whole number of at least 1";
    String help = " (see perflow %s --help)";
    says(count.formatted("--batch", 0) + help.formatted("train"), train("--batch", 0));
    says(
        count.formatted("--samples", "two") + help.formatted("reconstruct"),
        reconstruct("--samples", "two"));
    says(count.formatted("--fields", -3) + help.formatted("evaluate"), evaluate("--fields", -3));
  }

  @Test
  void sensorsThatAreNone() {
    says(
        "--sensors 'many' must be a number of at least 1, as 5, or a range, as 3..8",
        train("--sensors", "many"));
    says(
        "--sensors '8..3' must be a number of at least 1, as 5, or a range, as 3..8",
        evaluate("--sensors", "8..3"));
  }

  @Test
  void aNetworkThatIsNone() {
    Path problem = home.resolve("problem.json");
    says(
        problem
            + ": [unet config] missing in_channels, out_channels, patch, widths, blocks, attention,"
            + " heads, groups, time_width; unknown format, name, axes, channels, constraints,"
            + " sensors, symmetries",
        "train",
        home,
        "--out",
        home.resolve("no"),
        "--network",
        problem);
  }

  @Test
  void aRecipeThatIsNone() {
    says("recipe 'quick' is unknown: choose one of paper, fast, prior", train("--recipe", "quick"));
  }

  @Test
  void aDeviceThatIsNone() throws IOException {
    String said = "there is no device gpu; use cpu, cuda:N or emulated";
    says(said, train("--device", "gpu"));
    says(said, reconstruct("--device", "gpu"));
    says(said, evaluate("--device", "gpu"));
  }

  @Test
  void aDataSetInPlaceOfAModel() {
    Path data = home.resolve("train.safetensors");
    says(
        data
            + " holds no flow: its metadata has [perflow], not 'flow'; use a file written by"
            + " training",
        "summary",
        data);
  }

  @Test
  void aModelInPlaceOfADataSet() {
    says(
        model + ": has no notes of a data set; turn it into one with perflow init or import",
        "evaluate",
        "--model",
        model,
        "--data",
        model);
  }

  @Test
  void constraintsThatContradictEachOther() throws IOException {
    says(
        "[projector] boundary and boundary contradict each other: at [sample, channel, row, column]"
            + " [0, 1, 0, 0] one wants 5.0, the other 6.0; drop one of them",
        reconstruct("--constrain", "dirichlet:p=6"));
  }

  @Test
  void boundsThatLeaveNoField() throws IOException {
    says(
        "constraint 'bounds:T=400..200': the lower bound 400 is above the upper bound 200; swap"
            + " them",
        reconstruct("--constrain", "bounds:T=400..200"));
    says(
        "[projector] mass and bounds contradict each other: at [sample, channel, row, column]"
            + " [0, 0, 0, 0] the mean is to be 300.0, and the bounds allow ..290.0; widen them or"
            + " drop one",
        reconstruct("--constrain", "bounds:T=..290"));
    says(
        "[projector] boundary and bounds contradict each other: at [sample, channel, row, column]"
            + " [0, 1, 0, 0] one wants 5.0, the other 6.0..; drop one of them",
        reconstruct("--constrain", "bounds:p=6.."));
  }

  @Test
  void readingsThatContradictAConstraint() throws IOException {
    Path csv = Files.writeString(home.resolve("leak.csv"), "y,x,T,p\n0,0,,7\n");
    Object[] args = {
      "reconstruct",
      "--model",
      model,
      "--observations",
      csv,
      "--out",
      home.resolve("leak"),
      "--samples",
      1,
      "--steps",
      2
    };
    says(
        "[projector] boundary and sensors contradict each other: at [sample, channel, row, column]"
            + " [0, 1, 0, 0] one wants 5.0, the other 7.0; drop one of them, or fit the readings by"
            + " least squares (--fit-sensors, Projector.fitting)",
        Shell.with(args, "--exact-sensors", "--json"));
    Shell.good(Shell.with(args, "--fit-sensors")); // the way out that it names
  }

  @Test
  void twoWaysToAgreeAtOnce() throws IOException {
    says(
        "--exact-sensors, --fit-sensors are mutually exclusive (specify only one)"
            + " (see perflow reconstruct --help)",
        reconstruct("--exact-sensors", "--fit-sensors"));
  }

  @Test
  void aConstraintOfTheOldGrammar() throws IOException {
    says(
        "constraint 'row-mass:T': 'row-mass' is unknown; there are dirichlet, mass,"
            + " divergence-free, poisson, energy and bounds",
        reconstruct("--constrain", "row-mass:T"));
  }

  @Test
  void nothingIsLeftOfARefusedCommand() throws IOException {
    Shell.bad(train("--recipe", "quick"));
    Shell.bad(reconstruct("--constrain", "row-mass:T"));
    Shell.bad(reconstruct("--constrain", "dirichlet:p=6"));
    assertFalse(Files.exists(home.resolve("no")));
  }
}
