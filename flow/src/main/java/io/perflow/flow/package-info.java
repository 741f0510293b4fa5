/**
 * Reconstruction of fields from readings: the flow with its training and its samplers, kriging and
 * assimilation beside it, and the certificate of what was found. {@link io.perflow.flow.PerFlow} is
 * the entrance.
 *
 * <p>Layers belong to {@code nn}, constraints to {@code physics}; this package combines the two.
 */
package io.perflow.flow;
