package io.perflow.tensor.cpu.norm;

/**
 * Some of the channels that {@link GroupNorm} reads or writes: those of one image where several are
 * normalised as if they were joined.
 *
 * @param count how many
 * @param stride from pixel to pixel where channels come last
 */
record Channels(float[] data, int offset, int stride, int count) {
  /** Those of all pixels of a dense array. */
  static Channels dense(float[] data, int count) {
    return new Channels(data, 0, count, count);
  }

  /** A range of these channels. */
  Channels slice(int first, int length) {
    return new Channels(data, offset + first, stride, length);
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
