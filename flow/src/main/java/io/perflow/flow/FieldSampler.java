package io.perflow.flow;

import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.ProgressListener;
import io.perflow.physics.Readings;
import io.perflow.physics.constraint.Constraint;
import io.perflow.tensor.Rng;
import java.util.List;
import java.util.Optional;

/**
 * A system that makes fields of a person's readings, with what a {@link Reconstruction} needs.
 *
 * <p>Methods that draw may be called by many threads at once; those that set something up, such as
 * {@link #listener}, belong before. A draw depends on its arguments alone, so that it has the same
 * bits whatever else runs. It ends early with a {@link java.util.concurrent.CancellationException}
 * when its thread is interrupted or a {@link io.perflow.tensor.Cancellation} asks for it.
 */
public interface FieldSampler extends Reconstructor {
  /** The finest deviation of a system that takes no readings for less accurate: rounding. */
  double FINEST = 1e-9;

  /** What the fields are of. */
  Problem problem();

  /** The normalization of the fields it draws. */
  Normalization units();

  /** The prior that the fields follow without readings, when the system has one. */
  Optional<PriorModel> prior();

  /** The factors that make its error bars keep their promise, once they were found. */
  Optional<Calibration> calibration();

  /**
   * The deviation, in normalized units, below which those of samples say nothing about their
   * errors.
   */
  default double finest() {
    return FINEST;
  }

  /** What every sample satisfies, in physical units. */
  List<Constraint> held(Readings readings);

  /** What is measured of every sample, in physical units; by default what it satisfies. */
  default List<Constraint> measured(Readings readings) {
    List<Constraint> held = held(readings);
    return held.isEmpty() ? problem().constraints() : held;
  }

  /** Has a listener told how far a draw is. Systems that draw within a second need not tell it. */
  default FieldSampler listener(ProgressListener listener) {
    return this;
  }

  /** Samples of the field behind readings, in normalized units. */
  Ensemble draw(Readings readings, int count, Rng rng);

  /** What a person should know about samples drawn for readings, one line each. */
  default List<String> warnings(Readings readings, Ensemble drawn) {
    return List.of();
  }
}
