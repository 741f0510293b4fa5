/**
 * Flow paths, losses and samplers.
 *
 * <p>Layers belong to {@code nn}, constraints to {@code physics}; here the two meet.
 */
package io.perflow.flow;
