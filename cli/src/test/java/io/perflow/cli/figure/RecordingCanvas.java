package io.perflow.cli.figure;

import java.awt.geom.AffineTransform;
import java.awt.geom.Rectangle2D;
import java.util.ArrayList;
import java.util.List;

/** A canvas that remembers the places of its texts. */
final class RecordingCanvas extends Canvas {
  record Written(String text, Rectangle2D box) {}

  final List<Written> texts = new ArrayList<>();

  RecordingCanvas(double width, double height) {
    super(width, height);
  }

  @Override
  void drawText(String text, AffineTransform place, Text style, Align align) {
    if (!text.isBlank()) {
      AffineTransform at = new AffineTransform(place);
      at.translate(-align.part * style.width(text), 0);
      at.scale(style.size(), style.size());
      Rectangle2D box = StrokeFont.outline(text).createTransformedShape(at).getBounds2D();
      texts.add(new Written(text, box));
    }
    super.drawText(text, place, style, align);
  }
}
