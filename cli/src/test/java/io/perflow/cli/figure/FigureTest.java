package io.perflow.cli.figure;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.cli.figure.RecordingCanvas.Written;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FigureTest {
  @TempDir Path directory;

  private static final double[] STEPS = {1, 2, 5, 10, 20, 50, 2000};
  private static final double[] ERRORS = {0.4, 0.2, 0.13, 0.1, Double.NaN, 0.086, 0};

  private static Figure reconstruction() {
    Rng rng = Rng.of(1);
    Shape shape = Shape.of(16, 16);
    Tensor truth = rng.normal(shape);
    Tensor mask = rng.uniform(shape).less(0.1);
    Tensor small = rng.uniform(shape).mul(3e-5);
    return ReconstructionFigure.create()
        .heading("two fields")
        .firstAxisAcross()
        .field("f", truth, mask, truth, truth.mul(0.9), small)
        .field("u", truth.mul(1e-5), mask, truth.mul(1e-5), truth.mul(1.1e-5), small)
        .figure();
  }

  private static Figure charts() {
    List<String> ranks = IntStream.rangeClosed(0, 20).mapToObj(Integer::toString).toList();
    double[] flat = IntStream.rangeClosed(0, 20).mapToDouble(i -> 0.01 * (5 + i % 3)).toArray();
    return Figure.of(
            LineChart.of("error")
                .axes("steps", "Rel-ℓ2")
                .logX()
                .logY()
                .markedLine("PerFlow", STEPS, ERRORS)
                .line("DiffusionPDE with a long name", STEPS, STEPS)
                .level("paper", 0.0863),
            BarChart.of("ranks", ranks)
                .axis("part")
                .bars("K = 20", flat)
                .level("reliable", 1 / 21.0))
        .row(
            "second row",
            LineChart.of("")
                .axes("standard deviation", "|error|")
                .diagonal()
                .points("", STEPS, ERRORS)
                .size(150, 150),
            BarChart.of("Phys-Err", List.of("PerFlow", "RF-50", "DiffusionPDE-2000", "S3GM"))
                .log()
                .width(150)
                .numbers(value -> String.format(Locale.ROOT, "%.1e", value))
                .bars("Burgers", 4e-16, 1e-4, 1e-3, Double.NaN)
                .bars("NS", 1e-9, 1e-2, 1e-4, 0));
  }

  @Test
  void sameInputSameBytes() {
    assertArrayEquals(reconstruction().png().bytes(), reconstruction().png().bytes());
    assertArrayEquals(charts().png().bytes(), charts().png().bytes());
  }

  @Test
  void noTextTouchesAnotherOrTheEdge() {
    assertTextsApart(reconstruction());
    assertTextsApart(charts());
  }

  private static void assertTextsApart(Figure figure) {
    Figure.Layout layout = figure.layout();
    try (RecordingCanvas canvas = new RecordingCanvas(layout.width(), layout.height())) {
      figure.draw(canvas);
      assertTrue(canvas.texts.size() > 20, "texts are recorded");
      for (Written a : canvas.texts) {
        assertTrue(
            a.box().getMinX() > 2
                && a.box().getMinY() > 2
                && a.box().getMaxX() < layout.width() - 2
                && a.box().getMaxY() < layout.height() - 2,
            () -> a + " leaves " + layout);
        for (Written b : canvas.texts) {
          assertTrue(a == b || !a.box().intersects(b.box()), () -> a + " touches " + b);
        }
      }
    }
  }

  @Test
  void aFileIsWrittenWholeAndReadsBack() throws IOException {
    Png png = charts().png();
    Path file = directory.resolve("charts.png");
    png.write(file);
    assertArrayEquals(png.bytes(), Files.readAllBytes(file));
    var image = ImageIO.read(new ByteArrayInputStream(png.bytes()));
    assertEquals(png.width(), image.getWidth());
    assertEquals(png.height(), image.getHeight());
    Path nowhere = directory.resolve("missing/charts.png");
    String message = assertThrows(IOException.class, () -> png.write(nowhere)).getMessage();
    assertTrue(message.contains("does not exist"), message);
  }

  @Test
  void chartsOfNothingAreDrawn() {
    double[] none = {};
    double[] broken = {Double.NaN};
    Figure.of(
            LineChart.of("empty").logY().line("a", none, none).line("b", broken, broken),
            BarChart.of("empty", List.of("x")).bars("b", Double.NaN))
        .png();
    LineChart constant = LineChart.of("").line("a", new double[] {1, 2}, new double[] {3, 3});
    Figure.of(constant).png();
  }

  @Test
  void anAxisFromZeroHasAZero() {
    double[] x = {80, 2000};
    double[] y = {0.149, 0.151};
    assertFalse(hasZero(LineChart.of("").logX().line("a", x, y)));
    assertTrue(hasZero(LineChart.of("").logX().fromZero().line("a", x, y)));
  }

  private static boolean hasZero(LineChart chart) {
    Figure figure = Figure.of(chart);
    Figure.Layout layout = figure.layout();
    try (RecordingCanvas canvas = new RecordingCanvas(layout.width(), layout.height())) {
      figure.draw(canvas);
      return canvas.texts.stream().anyMatch(written -> written.text().matches("0(\\.0+)?"));
    }
  }

  @Test
  void seriesAreChecked() {
    double[] two = {1, 2};
    assertThrows(
        IllegalArgumentException.class, () -> LineChart.of("").line("a", two, new double[1]));
    assertThrows(
        IllegalArgumentException.class, () -> BarChart.of("", List.of("x")).bars("a", two));
    assertThrows(IllegalStateException.class, () -> Figure.of().png());
  }

  @Test
  void aRunningMeanSmoothsAndKeepsConstants() {
    double[] noisy = IntStream.range(0, 1000).mapToDouble(i -> i % 2).toArray();
    for (double mean : LineChart.runningMean(noisy)) {
      assertEquals(0.5, mean, 0.1);
    }
    noisy[500] = Double.NaN;
    assertFalse(Double.isNaN(LineChart.runningMean(noisy)[500]));
    assertArrayEquals(new double[] {7, 8}, LineChart.runningMean(new double[] {7, 8}));
  }
}
