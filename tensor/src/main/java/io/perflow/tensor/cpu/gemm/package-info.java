/**
 * Matrix products in both precisions, with the register blocks at their core, and the triangular
 * systems built on them. Other families call the blocks directly.
 */
package io.perflow.tensor.cpu.gemm;
