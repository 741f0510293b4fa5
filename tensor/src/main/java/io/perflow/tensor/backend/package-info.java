/**
 * The interfaces that a device implements: its memory, its computations and how it is found.
 *
 * <p>Users of tensors need none of it, except that their own operations call {@link
 * io.perflow.tensor.backend.Backend}. Options of operations, such as the stride of a convolution,
 * belong to {@link io.perflow.tensor} and {@link io.perflow.tensor.op}.
 */
package io.perflow.tensor.backend;
