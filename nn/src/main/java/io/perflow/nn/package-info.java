/**
 * Layers and their parameters, initial values, checkpoints.
 *
 * <p>A layer owns its parameters under the names PyTorch would give them, so that weights travel
 * both ways. Whole networks and the optimizers have packages of their own; gradients come from the
 * tape of {@code io.perflow.autograd}, which layers know nothing of.
 */
package io.perflow.nn;
