/**
 * What several families need of the Vector API: the width of a vector, and transpositions in
 * registers. Nothing here knows tensors.
 */
package io.perflow.tensor.cpu.vector;
