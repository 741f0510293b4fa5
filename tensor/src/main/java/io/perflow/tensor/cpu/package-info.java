/**
 * The devices of the CPU: {@link io.perflow.tensor.cpu.Cpu} chooses one at start and wires its
 * kernels together.
 *
 * <p>Each family of kernels has a package below this one, in which the scalar implementation, the
 * definition of every result, lies beside the one on vectors. A family may use those it is built
 * on, as convolutions use matrix products, but never the other way round; a test enforces this.
 * None of these packages is exported, and the vector module is used in no other.
 */
package io.perflow.tensor.cpu;
