/**
 * Hard constraints on fields, and the projections onto the fields that satisfy them.
 *
 * <p>A {@link io.perflow.physics.constraint.Constraint} says what must vanish; a {@link
 * io.perflow.physics.constraint.Projector} makes it vanish. Both are made of tensor operations, so
 * they are batched, run on any device in either precision, and gradients pass through them.
 */
package io.perflow.physics.constraint;
