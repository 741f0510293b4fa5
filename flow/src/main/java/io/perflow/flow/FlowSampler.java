package io.perflow.flow;

import io.perflow.nn.Hold;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.ProgressListener;
import io.perflow.physics.Readings;
import io.perflow.physics.constraint.AffineConstraint;
import io.perflow.physics.constraint.Bounds;
import io.perflow.physics.constraint.Constraint;
import io.perflow.physics.constraint.Measured;
import io.perflow.physics.constraint.Projector;
import io.perflow.tensor.Cancellation;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.DoubleConsumer;
import java.util.function.UnaryOperator;

/**
 * A sampler that draws ensembles from a {@link RectifiedFlow}: it carries projected noise along the
 * projected velocity, without guidance and without gradients.
 *
 * <p>Constraints that the flow was not trained with can be added. They act on the end point that
 * the velocity points to, x + (1 - t) v: its projection onto all constraints, those inside the flow
 * included, replaces it. Intermediate states thus remain like those that the network has seen in
 * training. The constraints inside the flow hold at every step, and all constraints hold after the
 * last step.
 *
 * <p>{@link Bounds} act in the same way, whether they are added or belong to the flow's problem.
 * With Euler's method, states come closer to the bounds at every step and stay within them once
 * there; with {@link #boundedPaths}, paths begin within them.
 *
 * <p>Once set up, many threads may draw from a sampler at once, and many samplers may share a flow.
 * A draw checks for a {@link Cancellation} before every evaluation of the network.
 */
public final class FlowSampler implements FieldSampler {
  private final RectifiedFlow flow;
  private final String name;
  private OdeSolver solver = OdeSolver.euler(50);
  private int batch = 5;
  private List<Constraint> added = List.of();
  private boolean boundedPaths;
  private Agreement agreement = Agreement.LEARNT;
  private double noise;
  private ProgressListener listener = ProgressListener.NONE;

  /** The ways in which samples agree with the readings. */
  public enum Agreement {
    /** Samples agree with the readings as well as the network has learnt. */
    LEARNT,
    /**
     * Samples fit the readings in the least-squares sense where constraints and readings conflict;
     * for noisy readings.
     */
    LEAST_SQUARES,
    /** Samples agree exactly; readings that contradict the constraints are an error. */
    EXACT
  }

  private FlowSampler(RectifiedFlow flow) {
    this.flow = flow;
    name = flow.prior() != null ? "PerFlow-G" : flow.config().embedded() ? "PerFlow" : "RF";
  }

  /** Returns a sampler with 50 Euler steps, as in the paper. */
  public static FlowSampler of(RectifiedFlow flow) {
    return new FlowSampler(flow);
  }

  /** Sets the method and the number of steps. */
  public FlowSampler solver(OdeSolver solver) {
    this.solver = solver;
    return this;
  }

  /**
   * Sets how many samples run at once. More samples need more memory; the distribution of results
   * is the same.
   */
  public FlowSampler batch(int size) {
    if (size < 1) {
      throw new IllegalArgumentException("[sampler] batch %d must be at least 1".formatted(size));
    }
    batch = size;
    return this;
  }

  /** Adds constraints, in physical units, that the end of every path must satisfy. */
  public FlowSampler constrain(List<Constraint> constraints) {
    added = List.copyOf(constraints);
    return this;
  }

  /**
   * Sets whether every state of a path satisfies {@link Bounds}; the start of the path is then
   * projected onto them. The flow was not trained with such starts, so its samples are less
   * accurate. Methods that extrapolate may leave the bounds within a step; after it, their states
   * are projected back.
   */
  public FlowSampler boundedPaths(boolean wanted) {
    boundedPaths = wanted;
    return this;
  }

  /** Sets how the end of every path agrees with the readings. */
  public FlowSampler sensors(Agreement agreement) {
    this.agreement = agreement;
    return this;
  }

  /**
   * Sets the standard deviation of the noise of {@link Observations}, in normalized units (default
   * 0). Only a flow from a prior takes it into account. Readings in physical units state their own
   * noise.
   */
  public FlowSampler noise(double deviation) {
    noise = deviation;
    return this;
  }

  @Override
  public FlowSampler listener(ProgressListener listener) {
    this.listener = listener;
    return this;
  }

  @Override
  public Problem problem() {
    return flow.config().problem();
  }

  @Override
  public Normalization normalization() {
    return flow.config().normalization();
  }

  @Override
  public Optional<PriorModel> prior() {
    return PriorModel.of(flow);
  }

  @Override
  public Optional<Calibration> calibration() {
    return flow.calibration();
  }

  /**
   * Returns the constraints inside the flow, the added ones, and the readings if samples agree with
   * them exactly.
   */
  @Override
  public List<Constraint> held(Readings readings) {
    List<Constraint> held = new ArrayList<>();
    if (flow.config().embedded()) {
      held.addAll(flow.config().problem().constraints());
    }
    held.addAll(added);
    if (agreement == Agreement.EXACT) {
      readings.agreement().ifPresent(held::add);
    }
    return held;
  }

  @Override
  public String name() {
    return name + "-" + solver.describe();
  }

  @Override
  public Ensemble reconstruct(Observations seen, int count, Rng rng) {
    AffineConstraint readingsHold =
        agreement == Agreement.LEARNT ? null : Measured.of(seen.mask(), seen.values());
    Known known =
        flow.prior() == null ? null : Known.of(flow.prior(), flow.config().problem(), seen, noise);
    return reconstruct(seen, known, readingsHold, count, rng);
  }

  @Override
  public Ensemble draw(Readings readings, int count, Rng rng) {
    Normalization units = flow.config().normalization();
    AffineConstraint readingsHold =
        readings.agreement().map(exact -> (AffineConstraint) exact.normalized(units)).orElse(null);
    Known known = flow.prior() == null ? null : Known.of(flow.prior(), readings, units);
    return reconstruct(Observations.of(readings, units), known, readingsHold, count, rng);
  }

  @Override
  public int together() {
    return batch;
  }

  // Returns null if there are no readings or if samples need not agree with them exactly.
  private Ensemble reconstruct(
      Observations seen, Known known, AffineConstraint readingsHold, int count, Rng rng) {
    flow.config().problem().check("reconstruct", seen.values());
    if (seen.values().dim(0) != 1 || count < 1) {
      throw new IllegalArgumentException(
          "[reconstruct] one field and at least one sample are needed, not %d and %d"
              .formatted(seen.values().dim(0), count));
    }
    UnaryOperator<Tensor> fit =
        known == null || agreement == Agreement.LEARNT
            ? UnaryOperator.identity()
            : x -> known.kriging().fit(x, known.values());
    Targets targets = targets(known == null || agreement == Agreement.EXACT ? readingsHold : null);
    Shape one = flow.config().problem().batch(1);
    float[] samples = new float[flow.config().problem().batch(count).size()];
    try (Hold _ = flow.network().hold();
        Scope _ = Scope.open()) {
      Observations there = seen.to(flow.device());
      Condition given = known == null ? flow.given(there) : flow.given(there, known);
      for (int first = 0; first < count; first += batch) {
        int size = Math.min(batch, count - first);
        try (Scope _ = Scope.open()) {
          Tensor starts = targets.inside.project(starts(known, size, first, rng));
          double done = first;
          DoubleConsumer told = t -> listener.at((done + size * t) / count, "");
          float[] part = paths(given, targets, fit, starts, told).toFloats();
          System.arraycopy(part, 0, samples, first * one.size(), part.length);
        }
      }
    }
    return new Ensemble(Tensor.of(samples, count, one.dim(1), one.dim(2), one.dim(3)));
  }

  /**
   * The conditions that paths satisfy, in normalized units.
   *
   * @param inside those of every state: bounds, together with the equations inside the flow;
   *     nothing without bounds, because the flow keeps its equations by itself
   * @param end those of the last state: the constraints inside the flow and all added ones; null if
   *     nothing was added
   */
  private record Targets(Projector inside, Projector end) {}

  private Targets targets(AffineConstraint readingsHold) {
    Normalization units = flow.config().normalization();
    List<Constraint> more = new ArrayList<>();
    if (flow.config().embedded()) {
      flow.config().problem().constraints().stream()
          .filter(c -> c instanceof Bounds)
          .forEach(more::add);
    }
    more.addAll(added);
    more.replaceAll(c -> c.normalized(units));
    List<Constraint> bounds = more.stream().filter(c -> c instanceof Bounds).toList();
    Projector inside = boundedPaths && !bounds.isEmpty() ? onto(bounds) : Projector.none();
    boolean agree = agreement != Agreement.LEARNT && readingsHold != null;
    boolean fitted = agreement != Agreement.LEARNT && flow.prior() != null;
    if (more.isEmpty() && !agree && !fitted) {
      return new Targets(inside, null);
    }
    if (agree) {
      more.add(readingsHold);
    }
    return new Targets(inside, onto(more));
  }

  // These are applied together with the constraints inside the flow.
  private Projector onto(List<Constraint> more) {
    List<Constraint> all = new ArrayList<>(flow.projector().constraints());
    all.addAll(more);
    return agreement == Agreement.LEAST_SQUARES ? Projector.fitting(all) : Projector.onto(all);
  }

  private Tensor starts(Known known, int size, int first, Rng rng) {
    if (known != null) {
      Rng[] rngs = new Rng[size];
      Arrays.setAll(rngs, i -> rng.split(first + i));
      return flow.projector().project(known.samples(rngs)).to(flow.device());
    }
    Tensor[] starts = new Tensor[size];
    for (int i = 0; i < size; i++) {
      starts[i] = flow.start(rng.split(first + i), 1, flow.device());
    }
    return Tensor.concat(0, starts);
  }

  private Tensor paths(
      Condition given,
      Targets targets,
      UnaryOperator<Tensor> fit,
      Tensor starts,
      DoubleConsumer told) {
    double gap = solver.resolution();
    Projector end = targets.end;
    VelocityField field =
        new VelocityField() {
          @Override
          public Tensor at(Tensor x, double t) {
            return drift(x, t).velocity(x);
          }

          @Override
          public Drift drift(Tensor x, double t) {
            Cancellation.check();
            told.accept(t);
            Drift own = flow.drift(x, t, given, gap);
            if (end != null) {
              return towards(y -> end.project(fit.apply(y)), x, own, Math.max(1 - t, gap));
            }
            // Tangents of a curved manifold at different points cannot be added.
            return flow.projector().curved() ? Drift.of(own.velocity(x)) : own;
          }
        };
    return solver.integrate(field, starts, retraction(targets));
  }

  // Steps along the tangents of a curved manifold leave it and are projected back. So are steps of
  // methods that extrapolate, which may leave the bounds or miss the end. Euler steps do neither,
  // and the projection only removes their rounding.
  private OdeSolver.Retraction retraction(Targets targets) {
    if (flow.projector().curved()) {
      return (_, x) -> flow.projector().project(x);
    }
    return targets.end == null
        ? OdeSolver.Retraction.NONE
        : (t, x) -> (t < 1 ? targets.inside : targets.end).project(x);
  }

  private static Drift towards(UnaryOperator<Tensor> end, Tensor x, Drift own, double left) {
    return new Drift(Projector.none(), end.apply(own.advance(x, left)), x, 1 / left);
  }
}
