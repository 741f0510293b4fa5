/**
 * Interpolations that fill a grid from scattered readings without a model.
 *
 * <p>They are what a scientist would try first, so their errors are the ones that a trained model
 * has to beat. {@link io.perflow.physics.interpolation.Interpolation} is the entry point.
 */
package io.perflow.physics.interpolation;
