package io.perflow.physics.equation;

import io.perflow.physics.Normalization;
import io.perflow.physics.prior.GaussianPrior;
import io.perflow.physics.prior.Kriging;
import io.perflow.physics.prior.Sensing;
import io.perflow.tensor.Cancellation;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.util.stream.IntStream;

/**
 * The causes of a linear equation under a prior that was {@linkplain GaussianPrior#carried carried}
 * through it. Coefficients are those of the prior, and readings follow from them as in kriging, so
 * that the equation is not solved before a sample is drawn.
 */
final class CarriedCauses implements Causes {
  private static final double GUESS_ERROR = 0.1; // of a cause, in standard deviations
  private static final double SOLVED = 1e-6; // part of the residual that is left
  private static final int MOST_ITERATIONS = 500;

  private final Equation equation;
  private final GaussianPrior prior;
  private final Normalization normalization;

  CarriedCauses(Equation equation, GaussianPrior prior, Normalization normalization) {
    this.equation = equation;
    this.prior = prior;
    this.normalization = normalization;
  }

  @Override
  public int rank() {
    return prior.rank();
  }

  /** Returns the standard deviation of what the modes leave. */
  @Override
  public double rest(int channel) {
    return prior.nugget(channel);
  }

  /** Returns those of the mean, which are exact. */
  @Override
  public Tensor start(Kriging known, Tensor values) {
    return known.meanCoefficients(values);
  }

  /**
   * Returns the likeliest coefficients for causes that are known up to a tenth of their standard
   * deviation: solutions of (v + BᵀB) c = Bᵀ (z - m) for modes B and errors of variance v.
   *
   * <p>Modes are all but orthogonal, so that conjugate gradients, scaled by the diagonal, need a
   * few iterations; the matrix would take seconds.
   */
  @Override
  public Tensor coefficients(Tensor fields) {
    int causes = equation.causes();
    try (Scope scope = Scope.open()) {
      int batch = fields.dim(0);
      Tensor modes = prior.modes().slice(0, 0, causes);
      Tensor squares = modes.square().sum(true, 0).to(DataType.F64); // [1, rank]
      double variance = GUESS_ERROR * GUESS_ERROR * squares.sum().item() / causes;
      Tensor diagonal = squares.add(variance);
      Tensor apart = fields.to(DataType.F64).sub(prior.mean().to(DataType.F64));
      Tensor known = apart.reshape(batch, -1).slice(1, 0, causes).contiguous();

      Tensor residual = products(known, modes);
      Tensor scaled = residual.div(diagonal);
      Tensor direction = scaled;
      Tensor found = residual.zerosLike();
      Tensor size = residual.mul(scaled).sum(true, 1); // [batch, 1]
      double enough = SOLVED * SOLVED * size.max(false).item();
      for (int i = 0; i < MOST_ITERATIONS && size.max(false).item() > enough; i++) {
        Cancellation.check();
        Tensor image = products(products(direction, modes.transpose()), modes);
        image = image.add(direction.mul(variance));
        // fields that are solved already have neither a residual nor a direction
        Tensor length = size.div(direction.mul(image).sum(true, 1).maximum(Double.MIN_NORMAL));
        found = found.add(direction.mul(length));
        residual = residual.sub(image.mul(length));
        scaled = residual.div(diagonal);
        Tensor next = residual.mul(scaled).sum(true, 1);
        direction = scaled.add(direction.mul(next.div(size.maximum(Double.MIN_NORMAL))));
        size = next;
      }
      return scope.keep(found);
    }
  }

  // x A in single precision, that of the modes: the large factor is read once
  private static Tensor products(Tensor x, Tensor a) {
    return a.transpose()
        .matmul(x.to(DataType.F32).transpose())
        .transpose()
        .contiguous()
        .to(DataType.F64);
  }

  @Override
  public Inversion given(Sensing sensing, Tensor values, double accuracy) {
    return new Given(
        this,
        values.to(DataType.F64),
        errors(sensing, accuracy),
        sensing.read(prior.mean()),
        prior.read(sensing));
  }

  // solutions in double precision, which satisfy the equation to the last digits
  private Tensor solutions(Tensor coefficients) {
    try (Scope scope = Scope.open()) {
      Tensor fields = prior.fields(coefficients).to(DataType.F64);
      return scope.keep(equation.fields(equation.cause(normalization.denormalize(fields))));
    }
  }

  /**
   * Readings of the prior's modes.
   *
   * @param mean the readings of the prior's mean, [1, readings]
   * @param rows the readings of its modes, [readings, rank]
   */
  private record Given(CarriedCauses causes, Tensor values, Tensor errors, Tensor mean, Tensor rows)
      implements Inversion {
    @Override
    public Tensor read(Tensor c) {
      return c.matmul(rows.transpose()).add(mean);
    }

    @Override
    public Slopes slopes(Tensor c) {
      return new Slopes(IntStream.range(0, rows.dim(0)).toArray(), rows);
    }

    @Override
    public Tensor fields(Tensor c) {
      return causes.solutions(c);
    }
  }
}
