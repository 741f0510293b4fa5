package io.perflow.physics.constraint;

import io.perflow.autograd.Jacobian;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * The directions in which a few functions g of a field change, at one point of a flat manifold and
 * within it: an orthonormal basis of the rows of J P for each sample, by Gram and Schmidt's method.
 *
 * <p>It is made of tensor operations, so that a tape follows how it turns with the point.
 */
final class NormalSpace {
  private final List<Tensor> basis = new ArrayList<>(); // each [batch, channels, height, width]
  private final List<List<Tensor>> factor =
      new ArrayList<>(); // row i = sum of factor(i, j) basis(j)

  /**
   * Computes the normal space at a point.
   *
   * @param jacobian the Jacobian of g at the point, with a value of shape [batch, functions]
   * @throws IllegalArgumentException when a gradient vanishes or follows from the others
   */
  NormalSpace(Jacobian jacobian, OrthogonalProjector base, Tensor at, String name) {
    int functions = jacobian.value().dim(1);
    for (int i = 0; i < functions; i++) {
      Tensor unit = unit(jacobian.value(), i);
      add(base.tangent(jacobian.transposedTimes(unit), at), name);
    }
  }

  private static Tensor unit(Tensor like, int i) {
    double[] row = new double[like.dim(1)];
    row[i] = 1;
    Tensor one = like.device().backend().memory().upload(row, like.shape().with(0, 1));
    return one.to(like.type()).expand(like.shape());
  }

  private void add(Tensor row, String name) {
    Tensor rest = row;
    List<Tensor> weights = new ArrayList<>();
    for (int pass = 0; pass < 2; pass++) { // the second removes what round-off left of the first
      for (int j = 0; j < basis.size(); j++) {
        Tensor weight = dot(basis.get(j), rest);
        rest = rest.sub(basis.get(j).mul(weight));
        if (pass == 0) {
          weights.add(weight);
        } else {
          weights.set(j, weights.get(j).add(weight));
        }
      }
    }
    Tensor length = dot(rest, rest).sqrt();
    requireIndependent(row, length, name);
    weights.add(length);
    basis.add(rest.div(length));
    factor.add(weights);
  }

  private static void requireIndependent(Tensor row, Tensor length, String name) {
    double[] whole = dot(row, row).sqrt().toDoubles();
    double[] left = length.toDoubles();
    for (int s = 0; s < left.length; s++) {
      if (!(left[s] > 1e-10 * whole[s])) {
        throw new IllegalArgumentException(
            ("[%s] singular at sample %d: "
                    + "a gradient of the constraints is zero, infinite, or follows from the others")
                .formatted(name, s));
      }
    }
  }

  /** Returns the part of a field that lies in this space. */
  Tensor component(Tensor v) {
    Tensor sum = v.zerosLike();
    for (Tensor q : basis) {
      sum = sum.add(q.mul(dot(q, v)));
    }
    return sum;
  }

  /** Returns the field of this space that changes g, to first order, by the given numbers. */
  Tensor change(Tensor by) {
    Tensor sum = basis.getFirst().zerosLike();
    List<Tensor> solved = new ArrayList<>();
    for (int i = 0; i < basis.size(); i++) {
      Tensor right = by.slice(1, i, i + 1).reshape(by.dim(0), 1, 1, 1);
      for (int j = 0; j < i; j++) {
        right = right.sub(factor.get(i).get(j).mul(solved.get(j)));
      }
      Tensor coefficient = right.div(factor.get(i).get(i));
      solved.add(coefficient);
      sum = sum.add(basis.get(i).mul(coefficient));
    }
    return sum;
  }

  private static Tensor dot(Tensor a, Tensor b) {
    return a.mul(b).sum(true, 1, 2, 3);
  }
}
