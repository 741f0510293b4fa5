/**
 * Convolutions of images and their gradients: directly, or by Winograd's algorithm for kernels of 3
 * x 3. Results lie channels last.
 */
package io.perflow.tensor.cpu.conv;
