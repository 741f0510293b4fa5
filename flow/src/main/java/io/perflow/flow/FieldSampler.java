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
 * A system that draws fields from a user's readings, with everything that a {@link Reconstruction}
 * needs.
 *
 * <p>Many threads may call the methods that draw at once. Call methods that set something up, such
 * as {@link #listener}, before that. A draw depends only on its arguments, so its bits are the same
 * whatever else runs. It ends early with a {@link java.util.concurrent.CancellationException} when
 * its thread is interrupted or a {@link io.perflow.tensor.Cancellation} asks for it.
 */
public interface FieldSampler extends Reconstructor {
  /** The bound below which standard deviations, in normalized units, are rounding. */
  double FINEST = 1e-9;

  /** Returns the problem that the fields belong to. */
  Problem problem();

  /** Returns the normalization of the fields it draws. */
  Normalization normalization();

  /** Returns the prior that the fields follow without readings, when the system has one. */
  Optional<PriorModel> prior();

  /** Returns the calibration of its error bars, if they are calibrated. */
  Optional<Calibration> calibration();

  /**
   * Returns the smallest meaningful standard deviation of samples, in normalized units; smaller
   * ones say nothing about the error.
   */
  default double finest() {
    return FINEST;
  }

  /** Returns the constraints that every sample satisfies, in physical units. */
  List<Constraint> held(Readings readings);

  /**
   * Returns the constraints whose residuals are measured, in physical units; by default those that
   * every sample satisfies.
   */
  default List<Constraint> measured(Readings readings) {
    List<Constraint> held = held(readings);
    return held.isEmpty() ? problem().constraints() : held;
  }

  /**
   * Sets a listener that is told about the progress of a draw. Systems that draw within a second
   * need not inform it.
   */
  default FieldSampler listener(ProgressListener listener) {
    return this;
  }

  /** Draws samples of the field that the readings were taken from, in normalized units. */
  Ensemble draw(Readings readings, int count, Rng rng);

  /**
   * Returns the number of samples that are computed together. An ensemble may be drawn in parts
   * that begin at multiples of this number, in one process or in several: {@code draw(readings,
   * count, rng.from(first))} draws sample {@code first} and those after it, with the same bits as
   * one draw of all samples. By default all samples belong together.
   */
  default int together() {
    return Integer.MAX_VALUE;
  }

  /** Returns warnings for the user about samples drawn for these readings, one line each. */
  default List<String> warnings(Readings readings, Ensemble drawn) {
    return List.of();
  }
}
