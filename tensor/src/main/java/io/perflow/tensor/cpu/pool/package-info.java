/** Pooling and nearest-neighbour up-sampling of images, with their adjoints. */
package io.perflow.tensor.cpu.pool;
