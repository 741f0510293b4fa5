package io.perflow.tensor;

/** The windows of a pooling: size and stride per axis. Only whole windows count. */
public record Pool2dSpec(int sizeH, int sizeW, int strideH, int strideW) {
  /** Refuses empty windows and steps. */
  public Pool2dSpec {
    if (sizeH < 1 || sizeW < 1 || strideH < 1 || strideW < 1) {
      throw new IllegalArgumentException(
          "[pool2d] window %d x %d and stride %d x %d must be at least 1"
              .formatted(sizeH, sizeW, strideH, strideW));
    }
  }

  /** Returns square windows side by side. */
  public static Pool2dSpec of(int size) {
    return new Pool2dSpec(size, size, size, size);
  }

  /** Returns the height of the result. */
  public int outH(int inH) {
    return Math.floorDiv(inH - sizeH, strideH) + 1;
  }

  /** Returns the width of the result. */
  public int outW(int inW) {
    return Math.floorDiv(inW - sizeW, strideW) + 1;
  }
}
