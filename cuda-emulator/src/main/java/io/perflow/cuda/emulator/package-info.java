/**
 * A CUDA device in plain Java for machines that have none: an interpreter of PTX with checks that
 * hardware does not make, behind the interface of the driver. It verifies the results of kernels,
 * but says nothing about the speed of a device.
 */
package io.perflow.cuda.emulator;
