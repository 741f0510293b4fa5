package io.perflow.tensor;

import static io.perflow.tensor.RandomLayouts.offsets;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class LayoutTest {
  @Test
  void rowMajorStrides() {
    Layout layout = Layout.contiguous(Shape.of(2, 3, 4));
    assertArrayEquals(new int[] {12, 4, 1}, layout.strides());
    assertTrue(layout.isContiguous());
    assertTrue(layout.isDense());
  }

  @Test
  void channelsLastPutsAxisOneInnermost() {
    Layout layout = Layout.channelsLast(Shape.of(2, 3, 4, 5));
    assertArrayEquals(new int[] {60, 1, 15, 3}, layout.strides());
    assertArrayEquals(new int[] {0, 2, 3, 1}, layout.order());
    assertTrue(layout.isChannelsLast());
    assertTrue(layout.isDense());
    assertFalse(layout.isContiguous());
    assertFalse(Layout.contiguous(Shape.of(2, 3, 4, 5)).isChannelsLast());
    // a batch of one image, and one channel, lie both ways
    assertTrue(Layout.contiguous(Shape.of(2, 1, 4, 5)).isChannelsLast());
    assertTrue(Layout.channelsLast(Shape.of(2, 1, 4, 5)).isContiguous());
    assertArrayEquals(new int[] {12, 1, 3}, Layout.channelsLast(Shape.of(2, 3, 4)).strides());
  }

  @Test
  void reversedAxisIsNotRowMajor() {
    Layout back = Layout.contiguous(Shape.of(3)).slice(0, 2, 3, -1);
    assertArrayEquals(new int[] {2, 1, 0}, offsets(back));
    assertFalse(back.isContiguous());
    assertNotNull(back.reshape(Shape.of(3, 1)));
  }

  @Test
  void repeatedAxisIsNotDense() {
    Layout repeated = Layout.contiguous(Shape.of(3, 1)).expand(Shape.of(2, 3, 4));
    assertArrayEquals(new int[] {0, 1, 0}, repeated.strides());
    assertFalse(repeated.isDense());
    assertNull(repeated.reshape(Shape.of(24)));
    assertNotNull(repeated.reshape(Shape.of(2, 3, 2, 2)));
  }

  @Test
  void transposedMatrixNeedsCopyToFlatten() {
    Layout transposed = Layout.contiguous(Shape.of(3, 4)).permute(1, 0);
    assertNull(transposed.reshape(Shape.of(12)));
    Layout split = transposed.reshape(Shape.of(2, 2, 3));
    assertArrayEquals(new int[] {2, 1, 4}, split.strides());
  }

  @Test
  void emptyLayoutsReshapeFreely() {
    Layout empty = Layout.contiguous(Shape.of(3, 0, 4)).permute(2, 0, 1);
    assertEquals(Shape.of(0, 7), empty.reshape(Shape.of(0, 7)).shape());
  }

  @Property
  void orderListsStridesFromLargest(@ForAll long seed) {
    Random random = new Random(seed);
    Layout layout = RandomLayouts.of(random, RandomLayouts.shape(random, 0));
    int[] order = layout.order();
    for (int i = 1; i < order.length; i++) {
      int before = Math.abs(layout.stride(order[i - 1]));
      int after = Math.abs(layout.stride(order[i]));
      assertTrue(before > after || before == after && order[i - 1] < order[i]);
    }
    int[] sorted = order.clone();
    Arrays.sort(sorted);
    assertArrayEquals(Check.axes("test", layout.shape()), sorted);
  }

  @Property
  void orderedFillsItsStorageInThatOrder(@ForAll long seed) {
    Random random = new Random(seed);
    Shape shape = RandomLayouts.shape(random, 1);
    int[] order = RandomLayouts.order(random, shape.rank());
    Layout layout = Layout.ordered(shape, order);
    assertTrue(layout.isDense());
    int[] counted = new int[shape.size()];
    Arrays.setAll(counted, i -> i);
    assertArrayEquals(counted, offsets(layout.permute(order)));
  }

  @Property
  void contiguousMeansCountingUp(@ForAll long seed) {
    Random random = new Random(seed);
    Layout layout = RandomLayouts.of(random, RandomLayouts.shape(random, 0));
    int[] offsets = offsets(layout);
    boolean counting = true;
    for (int i = 0; i < offsets.length; i++) {
      counting &= offsets[i] == layout.offset() + i;
    }
    assertEquals(counting, layout.isContiguous());
  }

  @Property
  void denseMeansFillingStretchForwards(@ForAll long seed) {
    Random random = new Random(seed);
    Layout layout = RandomLayouts.of(random, RandomLayouts.shape(random, 0));
    int[] sorted = offsets(layout);
    Arrays.sort(sorted);
    boolean filling = true;
    for (int i = 0; i < sorted.length; i++) {
      filling &= sorted[i] == layout.offset() + i;
    }
    assertEquals(filling, layout.isDense());
  }

  @Property
  void permuteMovesIndices(@ForAll long seed) {
    Random random = new Random(seed);
    Layout layout = RandomLayouts.of(random, RandomLayouts.shape(random, 1));
    int[] axes = RandomLayouts.order(random, layout.shape().rank());
    int[] back = new int[axes.length];
    for (int i = 0; i < axes.length; i++) {
      back[axes[i]] = i;
    }
    Layout moved = layout.permute(axes);
    assertEquals(layout.shape().permute(axes), moved.shape());
    assertEquals(layout, moved.permute(back));
  }

  @Property
  void sliceTakesEveryStep(@ForAll long seed) {
    Random random = new Random(seed);
    Shape shape = RandomLayouts.shape(random, 1).insert(0, 5);
    Layout layout = RandomLayouts.of(random, shape);
    int inner = shape.size() / 5;
    int[] all = offsets(layout);
    int step = random.nextBoolean() ? 2 : -2;
    int start = step > 0 ? random.nextInt(2) : 4 - random.nextInt(2);
    Layout part = layout.slice(0, start, 2, step);
    assertArrayEquals(
        Arrays.copyOfRange(all, start * inner, (start + 1) * inner),
        Arrays.copyOf(offsets(part), inner));
    assertArrayEquals(
        Arrays.copyOfRange(all, (start + step) * inner, (start + step + 1) * inner),
        Arrays.copyOfRange(offsets(part), inner, 2 * inner));
  }

  @Property(tries = 5000)
  void reshapeKeepsRowMajorOrderAndFailsOnlyWithoutStrides(@ForAll long seed) {
    Random random = new Random(seed);
    Layout layout = RandomLayouts.of(random, RandomLayouts.shape(random, 1));
    Shape target = sameSize(random, layout.shape().size());
    Layout view = layout.reshape(target);
    int[] expected = offsets(layout);
    if (view != null) {
      assertEquals(target, view.shape());
      assertArrayEquals(expected, offsets(view));
    } else {
      Layout only = onlyCandidate(target, expected);
      assertFalse(Arrays.equals(expected, offsets(only)), () -> layout + " is " + only);
    }
    double[] values = RandomLayouts.counting(layout).reshape(target).toDoubles();
    assertArrayEquals(Arrays.stream(expected).asDoubleStream().toArray(), values);
  }

  // A random factorisation of the size, with some ones.
  private static Shape sameSize(Random random, int size) {
    Shape shape = Shape.of();
    int rest = size;
    while (rest > 1) {
      int factor = random.nextInt(1, rest + 1);
      while (rest % factor != 0) {
        factor--;
      }
      shape = shape.insert(shape.rank(), factor);
      rest /= factor;
    }
    return shape.insert(random.nextInt(shape.rank() + 1), 1);
  }

  // If any strides put these offsets under this shape, they are the distances to the first element.
  private static Layout onlyCandidate(Shape shape, int[] offsets) {
    int[] strides = new int[shape.rank()];
    int step = 1;
    for (int a = shape.rank() - 1; a >= 0; a--) {
      strides[a] = shape.dim(a) == 1 ? 0 : offsets[step] - offsets[0];
      step *= shape.dim(a);
    }
    return Layout.of(shape, strides, offsets[0]);
  }
}
