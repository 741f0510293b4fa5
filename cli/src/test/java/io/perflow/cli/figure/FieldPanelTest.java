package io.perflow.cli.figure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.perflow.tensor.ShapeException;
import io.perflow.tensor.Tensor;
import java.awt.image.BufferedImage;
import org.junit.jupiter.api.Test;

class FieldPanelTest {
  // rows 0 and 1 of two and three columns: 0 1 2 / 3 4 5
  private static final Tensor FIELD = Tensor.of(new double[] {0, 1, 2, 3, 4, 5}, 2, 3);

  /** The colour in the middle of a cell of a panel drawn at the origin. */
  private static int colorAt(FieldPanel panel, int column, int columns, int rowUp, int rows) {
    try (Canvas canvas = new Canvas(panel.width(), panel.height())) {
      panel.draw(canvas, new Area(0, 0, panel.width(), panel.height()));
      BufferedImage image = canvas.image();
      int x = (int) ((column + 0.5) * image.getWidth() / columns);
      int y = (int) ((rows - rowUp - 0.5) * image.getHeight() / rows);
      return image.getRGB(x, y) & 0xffffff;
    }
  }

  private static int sequential(double part) {
    return ColorMap.SEQUENTIAL.rgb(part);
  }

  @Test
  void rowsGoUpAndColumnsRight() {
    FieldPanel panel = FieldPanel.of("", FIELD);
    assertEquals(sequential(0), colorAt(panel, 0, 3, 0, 2));
    assertEquals(sequential(0.4), colorAt(panel, 2, 3, 0, 2));
    assertEquals(sequential(0.6), colorAt(panel, 0, 3, 1, 2));
    assertEquals(sequential(1), colorAt(panel, 2, 3, 1, 2));
  }

  @Test
  void theFirstAxisCanGoAcross() {
    FieldPanel panel = FieldPanel.of("", FIELD).firstAxisAcross();
    assertEquals(sequential(0.6), colorAt(panel, 1, 2, 0, 3));
    assertEquals(sequential(0.4), colorAt(panel, 0, 2, 2, 3));
  }

  @Test
  void bothSignsDivergeAroundZero() {
    FieldPanel panel = FieldPanel.of("", FIELD.add(-2));
    assertEquals(ColorMap.DIVERGING.rgb(0.5), colorAt(panel, 2, 3, 0, 2));
    assertEquals(ColorMap.DIVERGING.rgb(1), colorAt(panel, 2, 3, 1, 2));
    assertEquals(ColorMap.DIVERGING.rgb(1 / 6.0), colorAt(panel, 0, 3, 0, 2));
  }

  @Test
  void aGivenRangeIsKept() {
    FieldPanel panel = FieldPanel.of("", FIELD).range(0, 10).map(ColorMap.ERROR);
    assertEquals(ColorMap.ERROR.rgb(0.5), colorAt(panel, 2, 3, 1, 2));
    assertThrows(IllegalArgumentException.class, () -> panel.range(1, 1));
    assertThrows(IllegalArgumentException.class, () -> panel.range(0, Double.NaN));
  }

  @Test
  void whatIsNoNumberIsGrey() {
    Tensor holes = Tensor.of(new double[] {0, Double.NaN, 1, Double.POSITIVE_INFINITY}, 2, 2);
    FieldPanel panel = FieldPanel.of("", holes);
    assertEquals(0xe4e6ea, colorAt(panel, 1, 2, 0, 2));
    assertEquals(0xe4e6ea, colorAt(panel, 1, 2, 1, 2));
    assertEquals(sequential(1), colorAt(panel, 0, 2, 1, 2));
  }

  @Test
  void readingsShowOnlyAtSensors() {
    Tensor mask = Tensor.of(new double[] {1, 0, 0, 0, 0, 1}, 2, 3);
    FieldPanel panel = FieldPanel.readings("", FIELD, mask);
    assertEquals(sequential(0), colorAt(panel, 0, 3, 0, 2));
    assertEquals(sequential(1), colorAt(panel, 2, 3, 1, 2));
    assertEquals(0xe4e6ea, colorAt(panel, 1, 3, 1, 2));
  }

  @Test
  void sensorsAreMarkedOnTheField() {
    Tensor mask = Tensor.of(new double[] {1, 0, 0, 0, 0, 0}, 2, 3);
    FieldPanel panel = FieldPanel.of("", FIELD).sensors(mask);
    assertEquals(0, colorAt(panel, 0, 3, 0, 2));
    assertEquals(sequential(0.2), colorAt(panel, 1, 3, 0, 2));
  }

  @Test
  void cellsAreWholePixels() {
    for (int n : new int[] {1, 7, 64, 100, 128, 500, 3000}) {
      FieldPanel panel = FieldPanel.of("", Tensor.zeros(1, n));
      double pixels = panel.width() * Canvas.SCALE;
      assertEquals(Math.rint(pixels), pixels);
      int shown = Math.min(n, n / ((n + 1023) / 1024));
      assertEquals(0, pixels % shown, "cells of " + n);
    }
  }

  @Test
  void constantAndEmptyFields() {
    FieldPanel constant = FieldPanel.of("", Tensor.ones(4, 4)).colorBar("a");
    Figure.of(constant).png();
    assertThrows(ShapeException.class, () -> FieldPanel.of("", Tensor.zeros(0, 3)));
    assertThrows(ShapeException.class, () -> FieldPanel.of("", Tensor.zeros(1, 3, 3)));
    assertThrows(ShapeException.class, () -> FieldPanel.readings("", FIELD, Tensor.ones(3, 2)));
  }
}
