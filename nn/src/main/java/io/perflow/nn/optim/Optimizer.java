package io.perflow.nn.optim;

import io.perflow.autograd.Gradients;
import io.perflow.nn.Parameter;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * An optimizer, which changes parameters in place along their gradients.
 *
 * <pre>{@code
 * Optimizer adam = AdamW.of(Schedule.warmupCosine(1e-4, 6e-5, 2000, 60000))
 *     .weightDecay(1e-4).clip(1.0).build(net.parameters());
 * try (Scope _ = Scope.open(); Tape tape = Tape.watching(net.values())) {
 *   Tensor loss = Loss.meanSquaredError(net.apply(x, t), target);
 *   adam.step(tape.gradients(loss));
 * }
 * }</pre>
 *
 * <p>With clipping all gradients are multiplied by min(1, clip / norm), norm being the square root
 * of the sum of all their squares (Pascanu et al., 2013).
 *
 * <p>To write your own optimizer, extend this class: {@link #update} changes one parameter, and
 * {@link #slot} keeps its state from step to step, which checkpoints save.
 */
public abstract class Optimizer {
  private final Map<String, Parameter> parameters;
  private final Schedule schedule;
  private final double clip;
  private final Map<String, Tensor> state = new LinkedHashMap<>();
  private long steps;

  /**
   * Creates an optimizer of these parameters.
   *
   * @param schedule the learning rate of every step
   * @param clip the largest norm of all gradients together; infinite for no clipping
   */
  protected Optimizer(Map<String, Parameter> parameters, Schedule schedule, double clip) {
    this.parameters = new LinkedHashMap<>(parameters);
    this.schedule = schedule;
    this.clip = clip;
  }

  /** Takes one step along the gradients of a loss with respect to the parameters' values. */
  public final void step(Gradients gradients) {
    step(gradients::of);
  }

  /** Takes one step along gradients that were assembled elsewhere. */
  public final void step(UnaryOperator<Tensor> gradients) {
    try (Scope _ = Scope.open()) {
      List<Tensor> rows = new ArrayList<>();
      for (Parameter parameter : parameters.values()) {
        rows.add(gradients.apply(parameter.value()).contiguous());
      }
      double scale = 1;
      if (clip < Double.POSITIVE_INFINITY) {
        double norm = norm(rows);
        scale = norm > clip ? clip / norm : 1;
      }
      double rate = schedule.rate(steps);
      steps++;
      int i = 0;
      for (Map.Entry<String, Parameter> entry : parameters.entrySet()) {
        update(entry.getKey(), entry.getValue().value(), rows.get(i++), rate, scale);
      }
    }
  }

  /**
   * Changes one parameter in place; {@link #steps} already counts this step.
   *
   * @param name the parameter's name, for {@link #slot}
   * @param value the value to change, by {@link #assign}
   * @param gradient the gradient of the loss, not clipped yet
   * @param rate the learning rate of this step
   * @param scale the factor by which the gradient must be multiplied to be clipped
   */
  protected abstract void update(
      String name, Tensor value, Tensor gradient, double rate, double scale);

  /** Overwrites a parameter or a slot with new numbers of the same shape. */
  protected static void assign(Tensor target, Tensor numbers) {
    target.device().backend().memory().assign(target, numbers.contiguous());
  }

  /**
   * Returns the square root of the sum of the squares of all elements of at least one tensor, all
   * of one type and on one device.
   */
  public static double norm(Iterable<Tensor> tensors) {
    try (Scope _ = Scope.open()) {
      List<Tensor> sums = new ArrayList<>();
      for (Tensor tensor : tensors) {
        sums.add(tensor.square().sum().reshape(1));
      }
      // The norms are joined so that a device is read only once; they are added in double
      // precision.
      double[] squares = Tensor.concat(0, sums.toArray(Tensor[]::new)).toDoubles();
      return Math.sqrt(Arrays.stream(squares).reduce(0, Double::sum));
    }
  }

  /** Returns the number of steps taken so far. */
  public final long steps() {
    return steps;
  }

  /** Returns the learning rate of the next step. */
  public final double rate() {
    return schedule.rate(steps);
  }

  /** Returns the value of a parameter's slot, zeros at first; {@link #slots} names the slots. */
  protected final Tensor slot(String slot, String name, Tensor like) {
    Tensor found = state.get(slot + "/" + name);
    if (found == null) {
      found = Scope.detach(like.zerosLike());
      state.put(slot + "/" + name, found);
    }
    return found;
  }

  /**
   * Returns the state that a later run needs besides {@link #steps}, under names such as {@code
   * m/stem.weight}.
   */
  public final Map<String, Tensor> state() {
    return Collections.unmodifiableMap(state);
  }

  /**
   * Continues from a saved state.
   *
   * @throws IllegalArgumentException listing the names that do not belong to this optimizer's
   *     parameters or have another shape
   */
  public final void restore(long steps, Map<String, Tensor> saved) {
    List<String> wrong = new ArrayList<>();
    saved.forEach(
        (key, tensor) -> {
          Parameter parameter = parameters.get(key.substring(key.indexOf('/') + 1));
          if (parameter == null
              || !slots().contains(key.substring(0, Math.max(0, key.indexOf('/'))))) {
            wrong.add(key + " is unknown");
          } else if (!parameter.shape().equals(tensor.shape())) {
            wrong.add(
                "%s has shape %s, expected %s".formatted(key, tensor.shape(), parameter.shape()));
          }
        });
    if (!wrong.isEmpty()) {
      throw new IllegalArgumentException("[optimizer] " + String.join("; ", wrong));
    }
    state.clear();
    saved.forEach(
        (key, tensor) -> {
          Tensor value = parameters.get(key.substring(key.indexOf('/') + 1)).value();
          Tensor own = tensor.to(value.type()).to(value.device()).contiguous();
          // A copy, because updates happen in place.
          state.put(key, Scope.detach(own == tensor ? own.mul(1) : own));
        });
    this.steps = steps;
  }

  /**
   * Returns the names of the slots that each parameter has, such as {@code m} and {@code v}; none
   * for an optimizer without state.
   */
  protected abstract List<String> slots();

  /**
   * The options that all optimizers here share.
   *
   * @param <B> the options of one optimizer
   */
  public abstract static sealed class Options<B extends Options<B>>
      permits Adam.Options, Muon.Options, Sgd.Options {
    final Schedule schedule;
    double clip = Double.POSITIVE_INFINITY;
    double weightDecay;

    Options(Schedule schedule) {
      this.schedule = schedule;
    }

    abstract B self();

    /** Sets the largest norm of all gradients together; by default gradients are not clipped. */
    public B clip(double norm) {
      clip = norm;
      return self();
    }

    /** Sets the strength of the weight decay; by default there is none. */
    public B weightDecay(double strength) {
      weightDecay = strength;
      return self();
    }

    /** Returns an optimizer of these parameters. */
    public abstract Optimizer build(Map<String, Parameter> parameters);
  }
}
