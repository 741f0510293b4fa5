package io.perflow.tensor;

import java.util.Arrays;
import java.util.Random;

/** Layouts as views of views make them, and what they mean by definition. */
public final class RandomLayouts {
  private RandomLayouts() {}

  /** A shape of up to four axes with extents from {@code smallest} to 4. */
  public static Shape shape(Random random, int smallest) {
    int[] extents = new int[random.nextInt(5)];
    Arrays.setAll(extents, a -> random.nextInt(smallest, 5));
    return Shape.of(extents);
  }

  /** The axes in some order. */
  public static int[] order(Random random, int rank) {
    int[] order = new int[rank];
    for (int i = 0; i < rank; i++) {
      int j = random.nextInt(i + 1);
      order[i] = order[j];
      order[j] = i;
    }
    return order;
  }

  /** This shape in part of a larger storage: axes permuted, sliced, reversed, repeated. */
  public static Layout of(Random random, Shape shape) {
    int[] steps = new int[shape.rank()];
    int[] room = new int[shape.rank()]; // extents of the storage
    for (int a = 0; a < steps.length; a++) {
      steps[a] = random.nextInt(4) == 0 ? 2 : 1;
      room[a] = Math.max(1, shape.dim(a) * steps[a]) + (random.nextInt(4) == 0 ? 3 : 0);
    }
    Layout storage = Layout.ordered(Shape.of(room), order(random, steps.length));
    int[] strides = new int[steps.length];
    int offset = random.nextInt(3);
    for (int a = 0; a < steps.length; a++) {
      int kind = random.nextInt(6);
      strides[a] = kind == 0 ? 0 : steps[a] * storage.stride(a);
      if (kind == 1) { // backwards from the end
        offset += Math.max(0, shape.dim(a) - 1) * strides[a];
        strides[a] = -strides[a];
      }
    }
    return Layout.of(shape, strides, offset);
  }

  /** Where each element lies, in row-major order of the indices: the definition of a layout. */
  public static int[] offsets(Layout layout) {
    Shape shape = layout.shape();
    int[] offsets = new int[shape.size()];
    for (int i = 0; i < offsets.length; i++) {
      int at = layout.offset();
      int rest = i;
      for (int a = shape.rank() - 1; a >= 0; a--) {
        at += rest % shape.dim(a) * layout.stride(a);
        rest /= shape.dim(a);
      }
      offsets[i] = at;
    }
    return offsets;
  }

  /** A CPU tensor with this layout over the F64 numbers 0, 1, 2, …: element values are offsets. */
  public static Tensor counting(Layout layout) {
    int last = Arrays.stream(offsets(layout)).max().orElse(0);
    double[] numbers = new double[last + 1];
    Arrays.setAll(numbers, i -> i);
    return Tensor.of(numbers, numbers.length).view(layout);
  }
}
