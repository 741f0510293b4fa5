package io.perflow.cli.figure;

import io.perflow.cli.figure.Canvas.Align;
import java.awt.Color;
import java.util.List;

/** The names of colours to the right of a chart, where no data can be. */
final class Legend {
  /** A drawing of an entry beside its name. */
  interface Sample {
    void draw(Canvas canvas, double left, double middle, double width);
  }

  record Entry(String name, Sample sample) {}

  /** The colours of Okabe and Ito (2008), which colour-blind readers tell apart. */
  static final Color BLUE = new Color(0x0072b2);

  static final Color GREY = new Color(0x4d4d4d);

  private static final List<Color> PALETTE =
      List.of(
          BLUE,
          new Color(0xd55e00),
          new Color(0x009e73),
          new Color(0xcc79a7),
          new Color(0xe69f00),
          new Color(0x56b4e9),
          GREY);

  private static final double DISTANCE = 14;
  private static final double SAMPLE = 20;
  private static final double GAP = 7;
  private static final double LINE = 19;

  private final List<Entry> entries;

  Legend(List<Entry> entries) {
    this.entries = entries.size() < 2 ? List.of() : List.copyOf(entries);
  }

  static Color color(int index) {
    return PALETTE.get(index % PALETTE.size());
  }

  double room() {
    double widest = entries.stream().mapToDouble(e -> Text.LABEL.width(e.name())).max().orElse(-1);
    return widest < 0 ? 0 : DISTANCE + SAMPLE + GAP + widest;
  }

  void draw(Canvas canvas, Area plot) {
    double left = plot.right() + DISTANCE;
    double middle = plot.y() + LINE / 2;
    for (Entry entry : entries) {
      entry.sample().draw(canvas, left, middle, SAMPLE);
      double baseline = middle + Text.LABEL.capital() / 2;
      canvas.text(entry.name(), left + SAMPLE + GAP, baseline, Text.LABEL, Align.START);
      middle += LINE;
    }
  }
}
