package io.perflow.nn.optim;

import io.perflow.nn.Parameter;
import io.perflow.tensor.Check;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The exponential moving average of parameters, which gives better samples than their last values:
 * average = decay average + (1 - decay) p after every step, starting at the first p.
 *
 * <pre>{@code
 * Ema ema = Ema.of(net.parameters(), 0.995);
 * ... ema.update(); ...                 // after every step of the optimizer
 * try (Ema.Swap _ = ema.swap()) {
 *   sample = net.apply(x, t);           // with the average
 * }
 * }</pre>
 */
public final class Ema {
  private final Map<String, Parameter> parameters;
  private final double decay;
  private final Map<String, Tensor> averages = new LinkedHashMap<>();

  private Ema(Map<String, Parameter> parameters, double decay) {
    if (!(decay >= 0 && decay < 1)) { // an average with 1 would keep the untrained weights
      throw new IllegalArgumentException(
          "[ema] decay %s must be at least 0 and less than 1, as 0.995".formatted(decay));
    }
    this.parameters = new LinkedHashMap<>(parameters);
    this.decay = decay;
    parameters.forEach((name, p) -> averages.put(name, copy(p.value())));
  }

  private static Tensor copy(Tensor tensor) {
    return Scope.detach(tensor.mul(1));
  }

  /** Returns the average of these parameters, now equal to them. */
  public static Ema of(Map<String, Parameter> parameters, double decay) {
    return new Ema(parameters, decay);
  }

  /** Updates the average with the current parameters. */
  public void update() {
    parameters.forEach(
        (name, p) ->
            p.value().device().backend().optimizer().ema(averages.get(name), p.value(), decay));
  }

  /** Returns the averages by name of the parameter. */
  public Map<String, Tensor> averages() {
    return Collections.unmodifiableMap(averages);
  }

  /** Replaces the parameters by their averages until the result is closed. */
  public Swap swap() {
    exchange();
    return new Swap(this);
  }

  private void exchange() {
    parameters.forEach((name, p) -> averages.put(name, p.exchange(averages.get(name))));
  }

  /** A period in which the parameters have their averages as values. */
  public static final class Swap implements AutoCloseable {
    private final Ema ema;
    private boolean closed;

    private Swap(Ema ema) {
      this.ema = ema;
    }

    /** Restores the parameters. */
    @Override
    public void close() {
      if (!closed) {
        closed = true;
        ema.exchange();
      }
    }
  }

  /**
   * Continues from saved averages.
   *
   * @throws IllegalArgumentException listing names that are missing or unknown
   */
  public void restore(Map<String, Tensor> saved) {
    List<String> wrong = new ArrayList<>();
    averages.keySet().stream()
        .filter(name -> !saved.containsKey(name))
        .forEach(name -> wrong.add(name + " is missing"));
    saved.keySet().stream()
        .filter(name -> !averages.containsKey(name))
        .forEach(name -> wrong.add(name + " is unknown"));
    if (!wrong.isEmpty()) {
      throw new IllegalArgumentException("[ema] " + String.join("; ", wrong));
    }
    averages.forEach(
        (name, average) -> {
          Tensor source = saved.get(name);
          Check.sameShape("ema", "average of " + name, source, average.shape());
          try (Scope _ = Scope.open()) {
            Tensor fitting = source.to(average.type()).to(average.device()).contiguous();
            average.device().backend().memory().assign(average, fitting);
          }
        });
  }
}
