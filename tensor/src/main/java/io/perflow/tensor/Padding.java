package io.perflow.tensor;

/** The values beyond the edge of an image. */
public enum Padding {
  /** Zeros. */
  ZEROS,
  /** The opposite side of the image, for periodic domains. */
  CIRCULAR
}
