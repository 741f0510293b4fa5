package io.perflow.tensor.cpu.norm;

/**
 * What {@link GroupNorm} normalises: n samples of {@code pixels} positions and {@code channels}
 * channels in {@code groups} groups of neighbouring channels.
 *
 * <p>Channels last: pixel p of sample s starts at {@code (s pixels + p)} times a stride that {@link
 * Channels} holds, and its channels are neighbours. Channels first: (n, channels, pixels),
 * contiguous; strides do not apply.
 */
record GroupNormShape(int n, int pixels, int channels, int groups, boolean isChannelsFirst) {
  /** Elements of one task, about. */
  private static final int TASK = 1 << 14;

  /** Channels of a group. */
  int width() {
    return channels / groups;
  }

  /**
   * Independent stretches of data: samples, or for channels first the channels of all samples. One
   * stretch is a matrix of {@code #rows} by {@code #cols}.
   */
  int slabs() {
    return isChannelsFirst ? n * channels : n;
  }

  /** Columns of a slab: its channels, or one. */
  int cols() {
    return isChannelsFirst ? 1 : channels;
  }

  /**
   * Pixels of a block, over which sums go in float: enough that combining the blocks costs little,
   * and few enough that the block is still in cache when it is read the second time.
   */
  int blockPixels() {
    return Math.max(32, 8192 / Math.max(1, cols()));
  }

  /** Blocks of a slab. */
  int blocks() {
    return (pixels + blockPixels() - 1) / blockPixels();
  }

  /** Pixels of block {@code b}. */
  int pixelsOf(int b) {
    return Math.min(blockPixels(), pixels - b * blockPixels());
  }

  /** Tasks into which all blocks of all slabs are cut: several small blocks or one large one. */
  int tasks() {
    return (slabs() * blocks() + perTask() - 1) / perTask();
  }

  /** The first block of a task, counted over all slabs; that of the next one is its end. */
  int firstOf(int task) {
    return Math.min(slabs() * blocks(), task * perTask());
  }

  private int perTask() {
    return Math.max(1, TASK / Math.max(1, Math.min(pixels, blockPixels()) * cols()));
  }
}
