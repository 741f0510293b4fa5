package io.perflow.tensor.cpu.norm;

import io.perflow.tensor.cpu.memory.FloatRows;

/**
 * What {@link GroupNorm} does to normalised values v: {@code (v weight + bias) (1 + scale) +
 * shift}.
 *
 * <p>Weight and bias are (channels), scale and shift (n, channels). Any of them may be absent and
 * then has no effect.
 */
record Affine(FloatRows weight, FloatRows bias, FloatRows scale, FloatRows shift) {
  double weight(int c) {
    return weight.data() == null ? 1 : weight.at(0, c);
  }

  double bias(int c) {
    return bias.data() == null ? 0 : bias.at(0, c);
  }

  double gain(int sample, int c) {
    return scale.data() == null ? 1 : 1.0 + scale.at(sample, c);
  }

  double shift(int sample, int c) {
    return shift.data() == null ? 0 : shift.at(sample, c);
  }
}
