/**
 * Tape, gradients and gradient checks.
 *
 * <p>The gradient of a single operation belongs to that operation, in the tensor module.
 */
package io.perflow.autograd;
