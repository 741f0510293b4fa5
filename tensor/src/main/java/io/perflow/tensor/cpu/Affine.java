package io.perflow.tensor.cpu;

/**
 * What {@link GroupNorm} does to normalised values v: {@code (v weight + bias) (1 + scale) +
 * shift}.
 *
 * <p>Weight and bias are (channels); row s of scale and shift, (n, channels), starts at {@code off
 * + s row}. Any of the arrays may be null and then has no effect.
 */
record Affine(
    float[] weight,
    int weightOff,
    float[] bias,
    int biasOff,
    float[] scale,
    int scaleOff,
    int scaleRow,
    float[] shift,
    int shiftOff,
    int shiftRow) {
  /** No effect at all. */
  static final Affine NONE = new Affine(null, 0, null, 0, null, 0, 0, null, 0, 0);

  double weight(int c) {
    return weight == null ? 1 : weight[weightOff + c];
  }

  double bias(int c) {
    return bias == null ? 0 : bias[biasOff + c];
  }

  double gain(int sample, int c) {
    return scale == null ? 1 : 1.0 + scale[scaleOff + sample * scaleRow + c];
  }

  double shift(int sample, int c) {
    return shift == null ? 0 : shift[shiftOff + sample * shiftRow + c];
  }
}
