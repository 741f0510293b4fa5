/**
 * Numbers that judge a reconstruction against the truth: one field, or an ensemble of them.
 *
 * <p>Everything is summed in double precision whatever the type of the fields. How far a field
 * violates a constraint is not here but with the constraint: {@link
 * io.perflow.physics.constraint.Constraint#meanSquare}.
 */
package io.perflow.physics.metric;
