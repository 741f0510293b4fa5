package io.perflow.tensor.backend;

import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.GroupNormSpec;

/**
 * Images (n, c, h, w) joined along their channels and then normalised, as {@link
 * NormKernels#groupNorm} does it to one. A convolution that normalises while it reads takes them.
 * Scale and shift are null when the spec says so; arrays are not copied.
 */
public record NormedImages(
    Tensor[] images, Tensor weight, Tensor bias, Tensor scale, Tensor shift, GroupNormSpec spec) {
  /** Returns the channels of all images. */
  public int channels() {
    int channels = 0;
    for (Tensor image : images) {
      channels += image.dim(1);
    }
    return channels;
  }
}
