package io.perflow.flow;

import io.perflow.physics.metric.EnsembleScores;
import java.io.Serializable;

/**
 * The errors of a system's reconstructions of one held-out field, found by a {@link Judge}. They
 * can be sent between processes, and {@link Judge#mean} averages those of many fields.
 *
 * @param relativeL2 Rel-l2 of one sample, in physical units
 * @param relativeL1 Rel-l1 of one sample
 * @param meanL2 Rel-l2 of the mean of the samples
 * @param meanL1 Rel-l1 of the mean of the samples
 * @param squares mean square error of the mean of the samples, of each quantity
 * @param physErr mean square residual of the constraints, normalized units
 * @param physErrPhysical the same in physical units
 * @param misfit root mean square misfit at the sensors, normalized units
 * @param scores the scores of the ensemble; empty for a single sample
 * @param inside for each level, the number of entries inside the calibrated interval; none without
 *     calibration
 * @param entries the number of entries of the field
 * @param seconds the wall time of drawing the samples
 */
public record FieldErrors(
    double relativeL2,
    double relativeL1,
    double meanL2,
    double meanL1,
    double[] squares,
    double physErr,
    double physErrPhysical,
    double misfit,
    EnsembleScores scores,
    double[] inside,
    long entries,
    double seconds)
    implements Serializable {}
