/**
 * Gaussian random fields, sampled by Fourier and cosine transforms.
 *
 * <p>Distributions of fields belong here; computations with a field do not.
 */
package io.perflow.physics.field;
