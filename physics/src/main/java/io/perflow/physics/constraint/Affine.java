package io.perflow.physics.constraint;

import io.perflow.physics.Normalization;
import io.perflow.tensor.Check;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/**
 * An affine condition A x = p, with A a sparse matrix or a pair of functions.
 *
 * <p>The residual A x - p has the shape [batch, rows]. The nearest field is x - Aᵀ(AAᵀ)⁻¹(A x - p);
 * {@link Projector#onto} finds it by factorisation when there are few rows, otherwise by conjugate
 * gradients.
 */
public final class Affine implements AffineConstraint {
  private final String name;
  private final UnaryOperator<Tensor> times;
  private final UnaryOperator<Tensor> transposedTimes;
  private final UnaryOperator<Tensor> preconditioner;
  private final Constant wanted; // [batch or 1, rows]
  private final Normalization units; // of the fields it is asked about; null for those of A
  private final Constant scale; // of each channel in these units; null likewise
  private final Constant mean;
  private final Set<Shape> checked = ConcurrentHashMap.newKeySet();

  private Affine(
      String name,
      UnaryOperator<Tensor> times,
      UnaryOperator<Tensor> transposedTimes,
      UnaryOperator<Tensor> preconditioner,
      Constant wanted,
      Normalization units) {
    this.name = name;
    this.times = times;
    this.transposedTimes = transposedTimes;
    this.preconditioner = preconditioner;
    this.wanted = wanted;
    this.units = units;
    scale = units == null ? null : perChannel(units.scale());
    mean = units == null ? null : perChannel(units.mean());
  }

  // These tensors are used at every step of a sampler, so they should be on the device.
  private static Constant perChannel(List<Double> numbers) {
    double[] values = numbers.stream().mapToDouble(Double::doubleValue).toArray();
    return Constant.of(Tensor.of(values, 1, values.length, 1, 1));
  }

  /**
   * Returns a condition with a matrix.
   *
   * @param matrix a matrix with one column for every entry of a sample, in row-major order
   * @param p the right-hand side of shape [rows], or [batch, rows] with one for each sample
   */
  public static Affine of(String name, SparseMatrix matrix, Tensor p) {
    Constant wanted = rightHandSide(name, p);
    Check.size(name, "rows of p", p, p.dim(-1), matrix.rows());
    double[] squares = matrix.rowSquares().toDoubles();
    for (int i = 0; i < squares.length; i++) {
      Check.that(squares[i] > 0, name, "row %d of the matrix is zero: drop it", i);
      squares[i] = 1 / squares[i];
    }
    Constant jacobi = Constant.of(Tensor.of(squares, squares.length));
    return new Affine(
        name,
        x -> matrix.times(x.reshape(x.dim(0), x.size() / Math.max(1, x.dim(0)))),
        matrix::transposedTimes,
        r -> r.mul(jacobi.like(r)),
        wanted,
        null);
  }

  /**
   * Returns a condition with functions in place of a matrix. Whether they are transposes of each
   * other is checked with random numbers when they first meet a field of some shape.
   *
   * @param times the map A, from [batch, channels, height, width] to [batch, rows]
   * @param transposedTimes the transpose, in the opposite direction
   * @param p the right-hand side of shape [rows], or [batch, rows] with one for each sample
   */
  public static Affine of(
      String name, UnaryOperator<Tensor> times, UnaryOperator<Tensor> transposedTimes, Tensor p) {
    return new Affine(
        name, times, transposedTimes, UnaryOperator.identity(), rightHandSide(name, p), null);
  }

  /**
   * Returns a copy with an approximation of (AAᵀ)⁻¹, symmetric and positive, on [batch, rows]: the
   * better it is, the fewer iterations large problems take.
   */
  public Affine preconditioned(UnaryOperator<Tensor> inverse) {
    return new Affine(name, times, transposedTimes, inverse, wanted, units);
  }

  private static Constant rightHandSide(String name, Tensor p) {
    Check.that(
        p.rank() == 1 || p.rank() == 2, name, "p %s must be [rows] or [batch, rows]", p.shape());
    Tensor numbers = Broadcasting.fourAxes(name, "p", p);
    return Constant.of(numbers.reshape(numbers.dim(2), numbers.dim(3)));
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Tensor residual(Tensor x) {
    check(x.shape());
    Tensor p = wanted.like(x);
    Check.that(
        p.dim(0) == 1 || p.dim(0) == x.dim(0),
        name,
        "p is for %d samples, field %s has %d",
        p.dim(0),
        x.shape(),
        x.dim(0));
    return rows(times.apply(units == null ? x : scaled(x).add(mean.like(x)))).sub(p);
  }

  @Override
  public Tensor linear(Tensor x) {
    check(x.shape());
    return rows(times.apply(scaled(x)));
  }

  @Override
  public Tensor adjoint(Tensor r, Shape field) {
    return scaled(transposedTimes.apply(r).reshape(field));
  }

  @Override
  public Tensor precondition(Tensor r, Shape field) {
    return preconditioner.apply(r);
  }

  /** Returns the condition A diag(scale) x' = p - A mean. */
  @Override
  public Affine normalized(Normalization more) {
    Normalization both = units == null ? more : units.then(more);
    return new Affine(name, times, transposedTimes, preconditioner, wanted, both);
  }

  private Tensor scaled(Tensor x) {
    return units == null ? x : x.mul(scale.like(x));
  }

  private Tensor rows(Tensor product) {
    Check.that(
        product.rank() == 2 && product.dim(1) == wanted.exact().dim(1),
        name,
        "A x has shape %s, expected [batch, %d] as p has",
        product.shape(),
        wanted.exact().dim(1));
    return product;
  }

  // Checks <A x, r> = <x, Aᵀ r> for random x and r, because a wrong transpose would give wrong
  // answers silently.
  private void check(Shape field) {
    Shape one = field.with(0, 1);
    if (!checked.add(one)) {
      return;
    }
    try (Scope _ = Scope.open()) {
      Rng rng = Rng.of(1);
      var cpu = wanted.exact().device();
      Tensor x = rng.normal(cpu, one, DataType.F64);
      Tensor r = rng.normal(cpu, Shape.of(1, wanted.exact().dim(1)), DataType.F64);
      Tensor ax = rows(times.apply(x));
      double left = ax.mul(r).sum().item();
      double right = transposedTimes.apply(r).reshape(one).mul(x).sum().item();
      double scale = Math.sqrt(ax.square().sum().item() * r.square().sum().item());
      if (!(Math.abs(left - right) <= 1e-9 * scale)) {
        checked.remove(one);
        throw new IllegalArgumentException(
            ("[%s] the second function is not the transpose of the first: for random x and r, "
                    + "<A x, r> is %s and <x, A' r> is %s")
                .formatted(name, left, right));
      }
    }
  }
}
