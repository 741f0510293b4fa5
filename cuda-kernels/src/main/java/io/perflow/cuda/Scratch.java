package io.perflow.cuda;

/**
 * Device memory for the duration of one operation. It may be closed as soon as the kernels that use
 * it are queued.
 */
final class Scratch implements AutoCloseable {
  private final Gpu gpu;
  private final MemoryPool.Block block;
  private final long bytes;

  Scratch(Gpu gpu, long bytes) {
    this.gpu = gpu;
    this.bytes = bytes;
    this.block = gpu.take(bytes);
  }

  /** Returns where the memory begins. */
  long address() {
    return block.address();
  }

  /** Returns how long it is. */
  long bytes() {
    return bytes;
  }

  @Override
  public void close() {
    gpu.give(block);
  }
}
