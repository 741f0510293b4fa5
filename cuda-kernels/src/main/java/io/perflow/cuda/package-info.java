/**
 * Storage, kernels and launches on CUDA devices, through the driver in the package below.
 *
 * <p>Shape checks belong above the backends, in the tensor module.
 */
package io.perflow.cuda;
