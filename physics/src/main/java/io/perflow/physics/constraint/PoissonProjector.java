package io.perflow.physics.constraint;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * A projector onto the nearest pair of a source and a solution of Poisson's equation: it writes the
 * values on the rim and then distributes the residual of the equation to source and solution.
 *
 * <p>With the rim fixed, the sine transform takes AAᵀ apart: a wave of eigenvalue l with amplitudes
 * f and u, which misses r = l u - f, moves by (r, -l r) / (l² + 1).
 *
 * <p>It works in double precision for fields of any type and rounds once, at the end: second
 * differences on a large grid lose many digits.
 */
final class PoissonProjector extends OrthogonalProjector {
  private final PoissonEquation equation;
  private final PinnedMean rim;

  /**
   * Creates a projector for an equation and further values on edges, of any channel.
   *
   * @param edges values that lie on edges only
   */
  PoissonProjector(PoissonEquation equation, List<Prescribed> edges) {
    super(with(equation, edges));
    this.equation = equation;
    rim = new PinnedMean(with(equation.rim(), edges), null);
  }

  private static <T> List<T> with(T first, List<? extends T> others) {
    List<T> all = new ArrayList<>(others);
    all.addFirst(first);
    return all;
  }

  @Override
  Tensor nearest(Tensor x) {
    Tensor y = rim.nearest(x.to(DataType.F64));
    return y.sub(change(equation.residual(y), y.shape())).to(x.type());
  }

  @Override
  Tensor linear(Tensor v) {
    Tensor y = rim.linear(v.to(DataType.F64));
    return y.sub(change(equation.linear(y), y.shape())).to(v.type());
  }

  // Returns the smallest change with this effect that does not change the rim.
  private Tensor change(Tensor effect, Shape field) {
    return rim.linear(equation.adjoint(equation.precondition(effect, field), field));
  }

  @Override
  boolean common(Shape field) {
    return rim.common(field);
  }
}
