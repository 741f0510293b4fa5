package io.perflow.nn.operator;

import io.perflow.nn.BinaryLayer;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;

/**
 * Reconstruction by direct regression: an {@link Fno} from the observations y (n, observed, h, w),
 * zero where there is no sensor, and their mask M (n, masks, h, w), one where there is a sensor, to
 * the full field (n, out, h, w). One pass, no sampling; the names of the parameters are those of
 * the operator.
 *
 * <pre>{@code
 * ConditionalFno net = ConditionalFno.of(Fno.of2d(2 + 2, 2).modes(12).width(32), rng);
 * Tensor field = net.apply(y, mask);
 * }</pre>
 */
public final class ConditionalFno extends BinaryLayer {
  private final Fno operator;

  private ConditionalFno(Fno operator) {
    this.operator = child("", operator);
  }

  /** A network around an operator whose inputs are the channels of y and M together. */
  public static ConditionalFno of(Fno.Builder operator, Rng rng) {
    return new ConditionalFno(operator.build(rng));
  }

  /** Inputs: y (n, observed, …) and M (n, masks, …) on the same grid. */
  @Override
  protected Tensor forward(Tensor y, Tensor mask) {
    try (Scope scope = Scope.open()) {
      return scope.keep(operator.apply(Tensor.concat(1, y, mask)));
    }
  }
}
