package io.perflow.nn.operator;

import io.perflow.nn.Layer;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;

/**
 * Reconstruction by direct regression: an {@link Fno} from the observations y (n, observed, h, w),
 * zero where there is none, and their mask M (n, masks, h, w), one where there is one, to the full
 * field (n, out, h, w). One pass, no sampling; the names of the parameters are those of the
 * operator.
 *
 * <pre>{@code
 * ConditionalFno net = ConditionalFno.of(Fno.of2d(2 + 2, 2).modes(12).width(32), rng);
 * Tensor field = net.apply(y, mask);
 * }</pre>
 */
public final class ConditionalFno extends Layer {
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
  protected Tensor forward(Tensor... inputs) {
    if (inputs.length != 2) {
      throw new IllegalArgumentException(
          "[conditional fno] needs observations and their mask, got %d inputs"
              .formatted(inputs.length));
    }
    try (Scope scope = Scope.open()) {
      return scope.keep(operator.apply(Tensor.concat(1, inputs)));
    }
  }
}
