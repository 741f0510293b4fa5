/**
 * Tape, gradients, Jacobian products and gradient checks; an operation's own gradient is with it.
 *
 * <pre>{@code
 * try (Scope scope = Scope.open(); Tape tape = Tape.watching(w)) {
 *   Gradients g = tape.gradients(x.matmul(w).sub(y).square().mean());
 *   w = scope.keep(w.sub(g.of(w).mul(0.5)));
 * }
 * }</pre>
 */
package io.perflow.autograd;
