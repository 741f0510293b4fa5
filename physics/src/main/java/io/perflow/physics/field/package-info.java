/**
 * Gaussian random fields, sampled by Fourier and cosine transforms.
 *
 * <p>What a field's law is belongs here; what is computed from a field does not.
 */
package io.perflow.physics.field;
