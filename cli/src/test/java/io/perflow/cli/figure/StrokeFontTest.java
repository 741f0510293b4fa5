package io.perflow.cli.figure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.geom.Rectangle2D;
import org.junit.jupiter.api.Test;

class StrokeFontTest {
  private static final String GREEK = "αβγδεζηθκλμνξπρστφχψωΓΔΛΠΣΦΨΩ";
  private static final String SIGNS = "−–—·…×÷±≤≥≈≠∞→←∇∂√∈∫∑ℓ‖°⁰¹²³⁴⁵⁶⁷⁸⁹⁻₀₁₂₃₄₅₆₇₈₉";

  @Test
  void allOfAsciiIsThere() {
    for (char c = ' '; c <= '~'; c++) {
      assertTrue(StrokeFont.has(c), "no glyph for " + c);
    }
  }

  @Test
  void theSignsOfTheFieldAreThere() {
    (GREEK + SIGNS).codePoints().forEach(c -> assertTrue(StrokeFont.has(c), Character.toString(c)));
  }

  @Test
  void glyphsStayInTheirLine() {
    for (char c = '!'; c <= '~'; c++) {
      Rectangle2D box = StrokeFont.outline(Character.toString(c)).getBounds2D();
      double width = StrokeFont.width(Character.toString(c));
      assertTrue(box.getMinY() >= -0.8 && box.getMaxY() <= 0.22, c + " leaves its line: " + box);
      // the tail of a j reaches below its neighbour
      assertTrue(box.getMinX() >= (c == 'j' ? -0.05 : 0) && box.getMaxX() <= width, c + ": " + box);
    }
  }

  @Test
  void lettersHaveTheHeightsTheyShould() {
    assertEquals(-StrokeFont.CAPITAL, StrokeFont.outline("H").getBounds2D().getMinY(), 1e-9);
    assertEquals(-StrokeFont.X_HEIGHT, StrokeFont.outline("x").getBounds2D().getMinY(), 1e-9);
  }

  @Test
  void digitsAreOfOneWidth() {
    for (char c = '0'; c <= '9'; c++) {
      assertEquals(StrokeFont.width("0"), StrokeFont.width(Character.toString(c)), "" + c);
    }
    assertEquals(StrokeFont.width("0"), StrokeFont.width("−"), "minus");
  }

  @Test
  void widthsAdd() {
    assertEquals(StrokeFont.width("a") + StrokeFont.width(" b"), StrokeFont.width("a b"), 1e-12);
    assertEquals(0, StrokeFont.width(""));
  }

  @Test
  void unknownCharactersAreBoxes() {
    assertFalse(StrokeFont.has('漢'));
    assertFalse(StrokeFont.outline("漢").getBounds2D().isEmpty());
    assertEquals(StrokeFont.width("漢"), StrokeFont.width("😀"), "one box for one character");
  }
}
