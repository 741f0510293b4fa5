package io.perflow.tensor;

/**
 * The checks of operations' arguments, which word all shape errors; every check runs before any
 * memory is allocated.
 */
public final class Check {
  private Check() {}

  /** Throws {@code [op] message} unless {@code ok}; arguments are formatted only on failure. */
  public static void that(boolean ok, String op, String message, Object... args) {
    if (!ok) {
      throw new ShapeException(op, args.length == 0 ? message : message.formatted(args));
    }
  }

  /** Checks the rank of a tensor; {@code what} names the tensor in the message. */
  public static void rank(String op, String what, Tensor tensor, int rank) {
    if (tensor.rank() != rank) {
      throw new ShapeException(
          op,
          "%s must have %d axes, shape %s has %d"
              .formatted(what, rank, tensor.shape(), tensor.rank()));
    }
  }

  /** Checks a size; {@code what} names it, as in {@code "input channels"}. */
  public static void size(String op, String what, Tensor tensor, int actual, int expected) {
    if (actual != expected) {
      throw new ShapeException(
          op, "%s: shape %s has %d, expected %d".formatted(what, tensor.shape(), actual, expected));
    }
  }

  /** Checks that two tensors have the same shape. */
  public static void sameShape(String op, String what, Tensor tensor, Shape expected) {
    if (!tensor.shape().equals(expected)) {
      throw new ShapeException(
          op, "%s has shape %s, expected %s".formatted(what, tensor.shape(), expected));
    }
  }

  /** Checks that all inputs of an operation have the same data type and device. */
  public static void compatible(String op, Tensor... tensors) {
    for (int i = 1; i < tensors.length; i++) {
      Tensor first = tensors[0];
      Tensor other = tensors[i];
      if (first.type() != other.type()) {
        throw new ShapeException(
            op,
            "types differ: %s %s and %s %s; convert one with to(%s)"
                .formatted(first.type(), first.shape(), other.type(), other.shape(), first.type()));
      }
      if (first.device() != other.device()) {
        throw new ShapeException(
            op,
            "devices differ: %s and %s; move one with to(device)"
                .formatted(first.device(), other.device()));
      }
    }
  }

  /** Converts an extent from long to int, if it is not negative and fits. */
  public static int extent(String op, long extent) {
    that(extent >= 0 && extent <= Integer.MAX_VALUE, op, "an axis cannot have %d entries", extent);
    return (int) extent;
  }

  /** Converts an axis that may count from the end (-1 is the last) to 0 … rank - 1. */
  public static int axis(String op, Shape shape, int axis) {
    int rank = shape.rank();
    if (axis < -rank || axis >= rank) {
      throw new ShapeException(
          op, "axis %d is outside shape %s with %d axes".formatted(axis, shape, rank));
    }
    return axis < 0 ? axis + rank : axis;
  }

  /** Converts several axes as {@link #axis} does; they must differ, and none given means all. */
  public static int[] axes(String op, Shape shape, int... axes) {
    int[] result = axes.clone();
    if (axes.length == 0) {
      result = new int[shape.rank()];
      java.util.Arrays.setAll(result, i -> i);
      return result;
    }
    boolean[] seen = new boolean[shape.rank()];
    for (int i = 0; i < axes.length; i++) {
      result[i] = axis(op, shape, axes[i]);
      that(!seen[result[i]], op, "axis %d is named twice for shape %s", axes[i], shape);
      seen[result[i]] = true;
    }
    java.util.Arrays.sort(result);
    return result;
  }
}
