package io.perflow.tensor.cpu.norm;

/**
 * What {@link GroupNorm} normalises: n samples of {@code pixels} positions and {@code channels}
 * channels in {@code groups} groups of neighbouring channels.
 *
 * <p>Channels last: pixel p of sample s starts at {@code (s pixels + p) pixelStride}, its channels
 * are neighbours. Channels first: (n, channels, pixels), contiguous; pixel strides do not apply.
 */
record GroupNormShape(
    int n, int pixels, int channels, int groups, int pixelStride, boolean isChannelsFirst) {
  /** Elements of one task, about. */
  private static final int TASK = 1 << 14;

  static GroupNormShape channelsLast(int n, int pixels, int channels, int groups, int stride) {
    return new GroupNormShape(n, pixels, channels, groups, stride, false);
  }

  static GroupNormShape channelsFirst(int n, int pixels, int channels, int groups) {
    return new GroupNormShape(n, pixels, channels, groups, channels, true);
  }

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

  /** Where pixel {@code p} of a slab starts in an array of the given pixel stride. */
  int at(int slab, int p, int stride) {
    return (slab * pixels + p) * (isChannelsFirst ? 1 : stride);
  }
}
