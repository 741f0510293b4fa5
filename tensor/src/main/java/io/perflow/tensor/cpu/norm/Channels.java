package io.perflow.tensor.cpu.norm;

/**
 * Some of the channels that {@link GroupNorm} reads or writes: those of one image where several are
 * normalised as if they were joined.
 *
 * @param stride from pixel to pixel where channels come last
 * @param first the first of them among all
 * @param count how many
 */
record Channels(float[] data, int offset, int stride, int first, int count) {
  /** All channels of the pixels of a dense array. */
  static Channels dense(float[] data, int count) {
    return new Channels(data, 0, count, 0, count);
  }

  /** Where pixel {@code p} of a slab starts. */
  int at(GroupNormShape shape, int slab, int p) {
    return offset + (slab * shape.pixels() + p) * (shape.isChannelsFirst() ? 1 : stride);
  }

  /** Whether the pixels lie side by side. */
  boolean isDense() {
    return stride == count;
  }
}
