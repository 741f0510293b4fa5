package io.perflow.nn.optim;

import io.perflow.nn.Parameter;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.AdamSpec;
import java.util.List;
import java.util.Map;

/**
 * The optimizer Adam (Kingma and Ba, 2015): with the gradient g of step k = 1, 2, …
 *
 * <pre>
 * m = beta1 m + (1 - beta1) g,   v = beta2 v + (1 - beta2) g^2
 * p = p - rate (m / (1 - beta1^k)) / (sqrt(v / (1 - beta2^k)) + eps)
 * </pre>
 *
 * <p>Weight decay adds {@code weightDecay p} to g; {@link AdamW} takes it out of the average and
 * multiplies p by 1 - rate weightDecay instead (Loshchilov and Hutter, 2019).
 */
public final class Adam extends Optimizer {
  private final Options options;

  private Adam(Options options, Map<String, Parameter> parameters) {
    super(parameters, options.schedule, options.clip);
    this.options = options;
  }

  /** Returns Adam at a constant learning rate. */
  public static Options of(double rate) {
    return of(Schedule.constant(rate));
  }

  /** Returns Adam at the learning rates of a schedule. */
  public static Options of(Schedule schedule) {
    return new Options(schedule, false);
  }

  @Override
  protected void update(String name, Tensor value, Tensor gradient, double rate, double scale) {
    AdamSpec spec =
        new AdamSpec(
            rate,
            options.beta1,
            options.beta2,
            options.eps,
            options.weightDecay,
            options.decoupled,
            Math.toIntExact(steps()),
            scale);
    value
        .device()
        .backend()
        .optimizer()
        .adam(value, gradient, slot("m", name, value), slot("v", name, value), spec);
  }

  @Override
  protected List<String> slots() {
    return List.of("m", "v");
  }

  /** The options of Adam and AdamW. */
  public static final class Options extends Optimizer.Options<Options> {
    private final boolean decoupled;
    private double beta1 = 0.9;
    private double beta2 = 0.999;
    private double eps = 1e-8;

    Options(Schedule schedule, boolean decoupled) {
      super(schedule);
      this.decoupled = decoupled;
    }

    /** Sets the decay of the two averages, 0.9 and 0.999 by default. */
    public Options betas(double beta1, double beta2) {
      this.beta1 = beta1;
      this.beta2 = beta2;
      return this;
    }

    /** Sets the number that keeps the quotient finite, 1e-8 by default. */
    public Options eps(double eps) {
      this.eps = eps;
      return this;
    }

    @Override
    Options self() {
      return this;
    }

    @Override
    public Adam build(Map<String, Parameter> parameters) {
      return new Adam(this, parameters);
    }
  }
}
