/**
 * Tape, gradients, Jacobian products and gradient checks; each operation's class contains its
 * gradient rule.
 *
 * <pre>{@code
 * try (Scope scope = Scope.open(); Tape tape = Tape.watching(w)) {
 *   Gradients g = tape.gradients(x.matmul(w).sub(y).square().mean());
 *   w = scope.keep(w.sub(g.of(w).mul(0.5)));
 * }
 * }</pre>
 */
package io.perflow.autograd;
