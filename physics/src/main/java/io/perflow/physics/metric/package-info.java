/**
 * Scores of a reconstruction, a single field or an ensemble, compared with the truth.
 *
 * <p>All sums are in double precision for fields of any type. The violation of a constraint is
 * measured by the constraint itself: {@link io.perflow.physics.constraint.Constraint#meanSquare}.
 */
package io.perflow.physics.metric;
