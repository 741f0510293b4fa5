package io.perflow.tensor;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class ShapeTest {
  private static final Shape S = Shape.of(8, 3, 64, 32);

  @Test
  void knowsItsExtents() {
    assertEquals(4, S.rank());
    assertEquals(8 * 3 * 64 * 32, S.size());
    assertEquals(3, S.dim(1));
    assertEquals(32, S.dim(-1));
    assertEquals(8, S.dim(-4));
    assertEquals("[8, 3, 64, 32]", S.toString());
    assertThrows(ShapeException.class, () -> S.dim(4));
    assertThrows(ShapeException.class, () -> S.dim(-5));
  }

  @Test
  void scalarHasOneElementAndNoAxis() {
    assertEquals(0, Shape.of().rank());
    assertEquals(1, Shape.of().size());
    assertEquals("[]", Shape.of().toString());
  }

  @Test
  void emptyShapeHasNoElementsHoweverLargeTheRest() {
    assertEquals(0, Shape.of(0).size());
    assertEquals(0, Shape.of(1 << 20, 1 << 20, 0).size());
  }

  @Test
  void arraysAreCopiedInAndOut() {
    int[] extents = {2, 3};
    Shape shape = Shape.of(extents);
    extents[0] = 7;
    shape.toArray()[1] = 7;
    assertEquals(Shape.of(2, 3), shape);
    assertEquals(Shape.of(2, 3).hashCode(), shape.hashCode());
    assertNotEquals(Shape.of(3, 2), shape);
    assertNotEquals(Shape.of(2, 3, 1), shape);
  }

  @Test
  void refusesNegativeExtentsAndTooManyElements() {
    assertThrows(ShapeException.class, () -> Shape.of(2, -1));
    assertThrows(ShapeException.class, () -> Shape.of(1 << 16, 1 << 15));
    // a product that wraps round to a small positive number
    assertThrows(ShapeException.class, () -> Shape.of(1 << 16, 1 << 16, 1 << 16, 1 << 16, 3));
    assertEquals(Integer.MAX_VALUE - 8, Shape.of(Integer.MAX_VALUE - 8).size());
    assertThrows(ShapeException.class, () -> Shape.of(Integer.MAX_VALUE - 7));
  }

  @Test
  void changesOneAxis() {
    assertEquals(Shape.of(8, 5, 64, 32), S.with(1, 5));
    assertEquals(Shape.of(8, 3, 64, 1), S.with(-1, 1));
    assertEquals(Shape.of(1, 8, 3, 64, 32), S.insert(0, 1));
    assertEquals(Shape.of(8, 3, 64, 32, 2), S.insert(4, 2));
    assertEquals(Shape.of(8, 64, 32), S.remove(1));
    assertEquals(Shape.of(8, 3, 64), S.remove(-1));
    assertThrows(ShapeException.class, () -> S.insert(5, 1));
    assertThrows(ShapeException.class, () -> S.remove(4));
  }

  @Test
  void permutes() {
    assertEquals(Shape.of(8, 64, 32, 3), S.permute(0, 2, 3, 1));
  }

  @Test
  void reduces() {
    int[] axes = {0, 2};
    assertEquals(Shape.of(3, 32), S.reduce(axes, false));
    assertEquals(Shape.of(1, 3, 1, 32), S.reduce(axes, true));
    assertEquals(Shape.of(), Shape.of(4).reduce(new int[] {0}, false));
    assertEquals(S, S.reduce(new int[0], false));
  }

  @Test
  void broadcastsAsNumPyDoes() {
    assertEquals(Shape.of(4, 3, 5), Shape.broadcast("add", Shape.of(4, 1, 5), Shape.of(3, 1)));
    assertEquals(S, Shape.broadcast("add", S, Shape.of()));
    assertEquals(Shape.of(0, 3), Shape.broadcast("add", Shape.of(1, 3), Shape.of(0, 1)));
    assertThrows(ShapeException.class, () -> Shape.broadcast("add", Shape.of(0), Shape.of(2)));
  }

  @Test
  void dimensionsRoundTrip() {
    assertArrayEquals(new int[] {8, 3, 64, 32}, Shape.of(S.toArray()).toArray());
  }
}
