/**
 * What several families need from the Vector API: the width of a vector, and transpositions in
 * registers. Nothing here depends on tensors.
 */
package io.perflow.tensor.cpu.vector;
