package io.perflow.cli.figure;

import java.awt.Color;
import java.util.Map;

/** The colours of a sheet and of the drawing on it. Maps and curves look alike on both. */
public enum Theme {
  /** Dark ink on white. */
  LIGHT(Color.WHITE, Map.of()),

  /** Light ink on the background of dark pages. */
  DARK(
      new Color(0x12161d),
      Map.of(
          Text.INK, new Color(0xe6eaf1),
          Axes.INK, new Color(0xb4bdca),
          Axes.GRID, new Color(0x2b333f),
          ColorMap.MISSING, new Color(0x59636f),
          FieldPanel.HALO, new Color(0x59636f),
          Legend.GREY, new Color(0xa9b1bd),
          Legend.BLUE, new Color(0x3d9bdc)));

  private final Color sheet;
  private final Map<Color, Color> inks;

  Theme(Color sheet, Map<Color, Color> inks) {
    this.sheet = sheet;
    this.inks = inks;
  }

  Color sheet() {
    return sheet;
  }

  /** Returns the colour that stands for one of the light sheet. */
  Color of(Color color) {
    return inks.getOrDefault(color, color);
  }
}
