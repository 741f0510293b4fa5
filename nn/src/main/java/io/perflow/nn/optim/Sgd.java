package io.perflow.nn.optim;

import io.perflow.nn.Parameter;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.SgdSpec;
import java.util.List;
import java.util.Map;

/**
 * Stochastic gradient descent with momentum: u = momentum u + g, p = p - rate u, with g (the
 * gradient plus {@code weightDecay p}) as the first u. Nesterov's form is p = p - rate (g +
 * momentum u).
 */
public final class Sgd extends Optimizer {
  private final Options options;

  private Sgd(Options options, Map<String, Parameter> parameters) {
    super(parameters, options.schedule, options.clip);
    this.options = options;
  }

  /** Returns gradient descent at a constant learning rate. */
  public static Options of(double rate) {
    return of(Schedule.constant(rate));
  }

  /** Returns gradient descent at the learning rates of a schedule. */
  public static Options of(Schedule schedule) {
    return new Options(schedule);
  }

  @Override
  protected void update(String name, Tensor value, Tensor gradient, double rate, double scale) {
    Tensor velocity = options.momentum == 0 ? null : slot("velocity", name, value);
    SgdSpec spec =
        new SgdSpec(
            rate, options.momentum, options.weightDecay, options.nesterov, steps() == 1, scale);
    value.device().backend().optimizer().sgd(value, gradient, velocity, spec);
  }

  @Override
  protected List<String> slots() {
    return List.of("velocity");
  }

  /** The options of gradient descent. */
  public static final class Options extends Optimizer.Options<Options> {
    private double momentum;
    private boolean nesterov;

    private Options(Schedule schedule) {
      super(schedule);
    }

    /** Sets the fraction of the last velocity that is kept; 0 by default. */
    public Options momentum(double momentum) {
      this.momentum = momentum;
      return this;
    }

    /** Sets Nesterov's momentum. */
    public Options nesterov(double momentum) {
      this.momentum = momentum;
      nesterov = true;
      return this;
    }

    @Override
    Options self() {
      return this;
    }

    @Override
    public Sgd build(Map<String, Parameter> parameters) {
      return new Sgd(this, parameters);
    }
  }
}
