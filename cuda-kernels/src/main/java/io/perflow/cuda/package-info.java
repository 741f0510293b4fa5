/**
 * Storage, kernels and launches on CUDA devices; the only package that knows JCuda.
 *
 * <p>Shape checks belong above the backends, in the tensor module.
 */
package io.perflow.cuda;
