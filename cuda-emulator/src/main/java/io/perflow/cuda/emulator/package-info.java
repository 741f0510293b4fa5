/**
 * A CUDA device in plain Java for machines that have none: an interpreter of PTX with checks that
 * hardware does not make, behind the interface of the driver. It vouches for what kernels compute,
 * not for how fast a device would be.
 */
package io.perflow.cuda.emulator;
