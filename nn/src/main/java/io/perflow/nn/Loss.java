package io.perflow.nn;

import io.perflow.tensor.Check;
import io.perflow.tensor.Tensor;
import java.util.Arrays;

/**
 * The distance of a prediction x from a target y of the same shape, as one number to minimize.
 *
 * <pre>{@code
 * optimizer.step(tape.gradients(Loss.meanSquaredError(net.apply(x), y)));
 * }</pre>
 *
 * <p>Shapes must be equal: a target that broadcasts is nearly always a mistake, which the resulting
 * number would not show. Each loss is differentiable in both arguments.
 */
public final class Loss {
  private Loss() {}

  /** Returns the mean of (x - y)^2. */
  public static Tensor meanSquaredError(Tensor x, Tensor y) {
    return difference("mean squared error", x, y).square().mean();
  }

  /** Returns the mean of |x - y|. */
  public static Tensor meanAbsoluteError(Tensor x, Tensor y) {
    return difference("mean absolute error", x, y).abs().mean();
  }

  /**
   * Returns the mean of the function of e = x - y that is e^2 / 2 up to |e| = delta and continues
   * linearly as delta (|e| - delta / 2), so that the gradient of an outlier is at most delta
   * (Huber, 1964).
   */
  public static Tensor huber(Tensor x, Tensor y, double delta) {
    if (!(delta > 0)) {
      throw new IllegalArgumentException("[huber] delta %s must be positive".formatted(delta));
    }
    Tensor size = difference("huber", x, y).abs();
    Tensor bent = size.minimum(delta);
    return bent.mul(size.addScaled(bent, -0.5)).mean(); // both branches in one product
  }

  /**
   * Returns |x - y| / |y| in the Euclidean norm of each sample, averaged over the batch, which is
   * axis 0. It is infinite or NaN when a sample of y is zero; the gradient is NaN where a sample of
   * x is exact.
   */
  public static Tensor relativeL2(Tensor x, Tensor y) {
    Check.that(x.rank() >= 2, "relative l2", "x %s must be (n, …)", x.shape());
    int[] axes = new int[x.rank() - 1];
    Arrays.setAll(axes, i -> i + 1);
    Tensor error = difference("relative l2", x, y).square().sum(axes).sqrt();
    return error.div(y.square().sum(axes).sqrt()).mean();
  }

  private static Tensor difference(String loss, Tensor x, Tensor y) {
    Check.sameShape(loss, "y", y, x.shape());
    return x.sub(y);
  }
}
