/** Group normalisation with the affine map and the SiLU that may follow it, and its gradients. */
package io.perflow.tensor.cpu.norm;
