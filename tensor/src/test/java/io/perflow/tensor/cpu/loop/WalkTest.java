package io.perflow.tensor.cpu.loop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.tensor.Layout;
import io.perflow.tensor.RandomLayouts;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicIntegerArray;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class WalkTest {
  @Property(tries = 2000)
  void visitsEveryElementOnceAtItsOffsets(@ForAll long seed) {
    Random random = new Random(seed);
    Shape shape = RandomLayouts.shape(random, random.nextInt(4) == 0 ? 0 : 1);
    Layout out = Layout.ordered(shape, RandomLayouts.order(random, shape.rank()));
    check(out, RandomLayouts.of(random, shape), RandomLayouts.of(random, shape));
  }

  @Property(tries = 20)
  void cutsLongRunsAndManyRows(@ForAll long seed) {
    Random random = new Random(seed);
    int large = random.nextInt(1, 3 * Walk.TASK);
    int small = random.nextInt(1, 5);
    Shape shape = random.nextBoolean() ? Shape.of(small, large) : Shape.of(large, small);
    Layout out = Layout.ordered(shape, RandomLayouts.order(random, 2));
    check(out, RandomLayouts.of(random, shape), RandomLayouts.of(random, shape));
  }

  private static void check(Layout... layouts) {
    int[][] expected = Arrays.stream(layouts).map(RandomLayouts::offsets).toArray(int[][]::new);
    int size = expected[0].length;
    AtomicIntegerArray visits = new AtomicIntegerArray(size);
    int[][] found = new int[layouts.length][size]; // operand offsets by offset in the output
    Walk walk = Walk.of(layouts);
    walk.forEach(
        (row, count, from, to) -> {
          assertTrue(count <= walk.blockRows(row));
          for (int r = 0; r < count; r++) {
            for (int c = from; c < to; c++) {
              int at = position(walk, 0, row, r, c);
              visits.incrementAndGet(at);
              for (int k = 1; k < layouts.length; k++) {
                found[k][at] = position(walk, k, row, r, c);
              }
            }
          }
        });
    for (int i = 0; i < size; i++) {
      int at = expected[0][i];
      assertEquals(1, visits.get(at));
      for (int k = 1; k < layouts.length; k++) {
        assertEquals(expected[k][i], found[k][at]);
      }
    }
  }

  // Rows of a block are evenly spaced, as kernels that handle a block at a time rely on.
  private static int position(Walk walk, int operand, int row, int r, int col) {
    int start = walk.start(operand, row) + r * walk.rowStep(operand);
    assertEquals(walk.start(operand, row + r), start);
    return start + col * walk.step(operand);
  }

  @Test
  void mergesAxesWhereAllOperandsStepEvenly() {
    Layout whole = Layout.contiguous(Shape.of(4, 3, 5));
    Walk merged = Walk.of(whole, whole);
    assertEquals(1, merged.rows);
    assertEquals(60, merged.cols);
    Walk broadcast = Walk.of(whole, Layout.contiguous(Shape.of(3, 5)).expand(whole.shape()));
    assertEquals(4, broadcast.rows);
    assertEquals(15, broadcast.cols);
  }

  @Test
  void scalarIsRunOfOne() {
    Walk walk = Walk.of(Layout.contiguous(Shape.of()));
    assertEquals(1, walk.rows);
    assertEquals(1, walk.cols);
  }

  @Test
  void emptySpaceIsNotVisited() {
    Layout empty = Layout.contiguous(Shape.of(3, 0, 2));
    Walk.of(empty, empty)
        .forEach(
            (row, count, from, to) -> {
              throw new AssertionError("visited");
            });
  }

  @Test
  void resultTakesTheOrderOfTheFirstDenseOperandOfItsShape() {
    Shape shape = Shape.of(2, 3, 4, 5);
    Tensor repeated = Tensor.zeros(3, 1, 1).expand(shape);
    Tensor images = Tensor.zeros(2, 4, 5, 3).permute(0, 3, 1, 2);
    Tensor rows = Tensor.zeros(2, 3, 4, 5);
    assertTrue(Walk.resultLayout(shape, repeated, images, rows).isChannelsLast());
    assertTrue(Walk.resultLayout(shape, rows, images).isContiguous());
    assertTrue(Walk.resultLayout(shape, repeated).isContiguous());
    assertArrayEquals(
        Layout.channelsLast(shape).strides(), Walk.resultLayout(shape, images).strides());
  }
}
