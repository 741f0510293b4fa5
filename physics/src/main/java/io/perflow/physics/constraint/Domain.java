package io.perflow.physics.constraint;

import io.perflow.tensor.Check;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The part of a grid over which means along certain axes are taken, and these means. */
final class Domain {
  private final String name;
  private final Tensor mask; // [1, channels or 1, height or 1, width or 1]
  private final int[] axes;
  private final Map<Shape, Resolved> known = new ConcurrentHashMap<>();

  /**
   * The domain for fields of one shape.
   *
   * @param weights the weights, 1 / count at the places of a mean, otherwise 0, of shape [1,
   *     channels, height, width]
   * @param counts the number of places of each mean, at least 1, in the shape of the means
   */
  private record Resolved(Constant weights, Constant counts) {}

  private Domain(String name, Tensor mask, int[] axes) {
    this.name = name;
    this.mask = mask;
    this.axes = axes;
  }

  /** Returns the domain of a mask of 0 and 1, for means over axes of the field. */
  static Domain of(String name, Tensor mask, int[] axes) {
    Masked.require(name, mask, "1 in the domain and 0 outside");
    Tensor four = Broadcasting.fourAxes(name, "mask of the domain", mask);
    Check.that(
        four.dim(0) == 1,
        name,
        "mask %s of the domain has %d samples: a domain is the same for all",
        mask.shape(),
        four.dim(0));
    Check.that(
        Arrays.stream(four.toDoubles()).anyMatch(place -> place != 0),
        name,
        "mask %s of the domain is 0 everywhere",
        mask.shape());
    return new Domain(name, Constant.of(four).exact(), axes);
  }

  /** Returns the means of the places in the domain; 0 where there is none. */
  Tensor means(Tensor x) {
    return x.mul(on(x.shape()).weights.like(x)).sum(true, axes);
  }

  /** Applies the transpose of {@link #means} to one number per mean of every channel. */
  Tensor transposedMeans(Tensor r, Shape field) {
    return r.mul(on(field).weights.like(r));
  }

  /** Returns the number of places of each mean, of shape [1, channels, height or 1, width or 1]. */
  Tensor counts(Shape field, Tensor like) {
    return on(field).counts.like(like);
  }

  private Resolved on(Shape field) {
    Shape one = field.with(0, 1);
    Broadcasting.check(name, "mask of the domain", mask.shape(), one);
    return known.computeIfAbsent(one, this::resolve);
  }

  private Resolved resolve(Shape field) {
    Tensor all = mask.expand(field);
    Tensor counts = all.sum(true, axes).maximum(1);
    return new Resolved(Constant.of(all.div(counts)), Constant.of(counts));
  }
}
