package io.perflow.tensor;

/** What lies beyond the edge of an image. */
public enum Padding {
  /** Zeros. */
  ZEROS,
  /** The image again, wrapped round: for periodic domains. */
  CIRCULAR
}
