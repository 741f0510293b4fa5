/**
 * Layers and their parameters, initial values and checkpoints.
 *
 * <p>A layer owns its parameters under PyTorch's names, so that weights can be exchanged in both
 * directions. Whole networks and the optimizers have their own packages. The tape of {@code
 * io.perflow.autograd} computes gradients; layers do not depend on it.
 */
package io.perflow.nn;
