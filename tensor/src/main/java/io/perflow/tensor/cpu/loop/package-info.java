/**
 * How kernels run over their operands: the threads of the library, and the walk over tensors of any
 * strides. A loop that knows what it computes belongs to its family instead.
 */
package io.perflow.tensor.cpu.loop;
