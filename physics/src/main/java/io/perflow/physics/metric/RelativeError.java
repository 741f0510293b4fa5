package io.perflow.physics.metric;

import io.perflow.tensor.Check;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Tensor;

/**
 * The errors Rel-ℓ2 and Rel-ℓ1 of PerFlow (arXiv 2605.03548): ‖x - y‖ / ‖y‖ of each component, to
 * be averaged.
 *
 * <p>A component is one physical quantity at all its frames. Channels are ordered component by
 * component (u1 … uF v1 … vF), as {@link io.perflow.physics.Problem} has them; fields without
 * frames have one channel per component. The norms run over all frames of a component before the
 * quotient is taken, and {@code l2(x, y, n).mean()} is the number of the paper's tables.
 */
public final class RelativeError {
  private RelativeError() {}

  /**
   * Returns ‖x - y‖₂ / ‖y‖₂ of each sample and component.
   *
   * @param prediction the fields x of shape [batch, channels, height, width]
   * @param truth the fields y of the same shape
   * @param components the number of quantities in the channels, a divisor of their number
   * @return F64 of shape [batch, components]; NaN or infinite where the prediction is
   * @throws IllegalArgumentException when a component of the truth is zero everywhere
   */
  public static Tensor l2(Tensor prediction, Tensor truth, int components) {
    check("relative l2", prediction, truth, components);
    Tensor y = truth.to(DataType.F64);
    Tensor error = norm2(prediction.to(DataType.F64).sub(y), components);
    return quotient("relative l2", error, norm2(y, components));
  }

  /** Returns ‖x - y‖₁ / ‖y‖₁ of each sample and component; otherwise as {@link #l2}. */
  public static Tensor l1(Tensor prediction, Tensor truth, int components) {
    check("relative l1", prediction, truth, components);
    Tensor y = truth.to(DataType.F64);
    Tensor error = norm1(prediction.to(DataType.F64).sub(y), components);
    return quotient("relative l1", error, norm1(y, components));
  }

  private static Tensor norm2(Tensor x, int components) {
    return byComponent(x, components).square().sum(2).sqrt();
  }

  private static Tensor norm1(Tensor x, int components) {
    return byComponent(x, components).abs().sum(2);
  }

  // (batch, components, frames and pixels)
  private static Tensor byComponent(Tensor x, int components) {
    return x.reshape(x.dim(0), components, x.size() / x.dim(0) / components);
  }

  private static Tensor quotient(String op, Tensor error, Tensor size) {
    double[] sizes = size.toDoubles();
    for (int i = 0; i < sizes.length; i++) {
      if (sizes[i] == 0) {
        throw new IllegalArgumentException(
            "[%s] component %d of sample %d is zero everywhere in the truth: no error is relative to that"
                .formatted(op, i % size.dim(1), i / size.dim(1)));
      }
    }
    return error.div(size);
  }

  private static void check(String op, Tensor prediction, Tensor truth, int components) {
    Check.rank(op, "truth", truth, 4);
    Check.sameShape(op, "prediction", prediction, truth.shape());
    Check.that(
        components > 0 && truth.dim(1) % components == 0,
        op,
        "%d components do not divide the %d channels of %s",
        components,
        truth.dim(1),
        truth.shape());
  }
}
