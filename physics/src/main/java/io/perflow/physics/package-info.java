/**
 * Constraints, projectors and the grids they live on.
 *
 * <p>Nothing here knows about networks: a projector is a function of a field.
 */
package io.perflow.physics;
