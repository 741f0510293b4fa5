/**
 * Reconstruction of fields from readings: the flow with its training and its samplers, kriging and
 * assimilation as alternatives, and the certificate of the result. {@link io.perflow.flow.PerFlow}
 * is the entry point.
 *
 * <p>Layers belong to {@code nn}, constraints to {@code physics}; this package combines the two.
 */
package io.perflow.flow;
