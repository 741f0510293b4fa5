package io.perflow.physics.constraint;

import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/**
 * The equations of several affine constraints on fields of one shape, stacked: B x = q with B x of
 * shape [batch, rows].
 */
final class Rows {
  private final List<AffineConstraint> parts;
  private final Shape field;
  private final Shape[] shapes; // of the residual of each part, for a batch of one
  private final int count;

  Rows(List<AffineConstraint> parts, Shape field) {
    this.parts = parts;
    this.field = field;
    this.shapes = new Shape[parts.size()];
    Tensor zeros = Tensor.of(new double[field.size()], field.toArray());
    int rows = 0;
    for (int k = 0; k < shapes.length; k++) {
      shapes[k] = parts.get(k).linear(zeros).shape().with(0, 1);
      rows += shapes[k].size();
    }
    count = rows;
  }

  /** Returns the number of equations of each sample, those without effect included. */
  int count() {
    return count;
  }

  /** Returns B x. */
  Tensor linear(Tensor x) {
    return stacked(x.dim(0), part -> part.linear(x));
  }

  /** Returns B x - q. */
  Tensor residual(Tensor x) {
    return stacked(x.dim(0), part -> part.residual(x));
  }

  private Tensor stacked(int batch, Function<AffineConstraint, Tensor> rows) {
    return Tensor.concat(
        1, parts.stream().map(p -> rows.apply(p).reshape(batch, -1)).toArray(Tensor[]::new));
  }

  /** Returns Bᵀ r. */
  Tensor adjoint(Tensor r) {
    Shape result = field.with(0, r.dim(0));
    Tensor sum = null;
    int from = 0;
    for (int k = 0; k < shapes.length; k++) {
      Tensor term = parts.get(k).adjoint(slice(r, from, shapes[k]), result);
      sum = sum == null ? term : sum.add(term);
      from += shapes[k].size();
    }
    return sum;
  }

  /**
   * Returns an approximation of (BBᵀ)⁻¹ r that treats each constraint separately; r if none offers
   * one.
   */
  Tensor precondition(Tensor r) {
    Shape result = field.with(0, r.dim(0));
    Tensor[] done = new Tensor[shapes.length];
    boolean same = true;
    int from = 0;
    for (int k = 0; k < shapes.length; k++) {
      Tensor part = slice(r, from, shapes[k]);
      Tensor better = parts.get(k).precondition(part, result);
      same &= better == part;
      done[k] = better.reshape(r.dim(0), -1);
      from += shapes[k].size();
    }
    return same ? r : Tensor.concat(1, done);
  }

  /**
   * Returns the length of the part of r that belongs to each constraint, by sample and constraint.
   */
  double[][] norms(Tensor r) {
    double[][] norms = new double[r.dim(0)][shapes.length];
    int from = 0;
    for (int k = 0; k < shapes.length; k++) {
      double[] squares = r.slice(1, from, from + shapes[k].size()).square().sum(1).toDoubles();
      for (int s = 0; s < squares.length; s++) {
        norms[s][k] = Math.sqrt(squares[s]);
      }
      from += shapes[k].size();
    }
    return norms;
  }

  private static Tensor slice(Tensor r, int from, Shape shape) {
    return r.slice(1, from, from + shape.size()).reshape(shape.with(0, r.dim(0)));
  }

  /**
   * Returns the equations of the first sample that have an effect; of pins, only those at pinned
   * places.
   */
  int[] active() {
    int[] active = new int[count];
    int found = 0;
    int from = 0;
    for (int k = 0; k < shapes.length; k++) {
      double[] mask = null;
      if (parts.get(k) instanceof AllPins pins) {
        mask = pins.on(field).mask().exact().slice(0, 0, 1).expand(shapes[k]).toDoubles();
      }
      for (int i = 0; i < shapes[k].size(); i++) {
        if (mask == null || mask[i] != 0) {
          active[found++] = from + i;
        }
      }
      from += shapes[k].size();
    }
    return Arrays.copyOf(active, found);
  }
}
