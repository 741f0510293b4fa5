package io.perflow.tensor.cpu.attention;

/**
 * Where the matrices of attention lie: element (b, h, l, j) of batch b, head h, position l and
 * component j stands at {@code offset + b batchStride + h headStride + l rowStride + j}.
 *
 * <p>So a slice of one (batch, position, 3 · channels) projection serves as well as a tensor
 * (batch, head, position, component).
 */
record Heads(float[] data, int offset, int batchStride, int headStride, int rowStride) {
  /** Start of the matrix of one batch and head. */
  int start(int batch, int head) {
    return offset + batch * batchStride + head * headStride;
  }
}
