package io.perflow.flow.baseline;

import io.perflow.tensor.Named;

/**
 * The network of a diffusion model that does not receive the sensors. Widths are proportional to
 * the first width of the problem's U-Net; with the paper's 64 they are the published ones.
 */
public enum Backbone {
  /** The U-Net of the flow, so that times and sizes can be compared. */
  UNET,
  /** DDPM++ with twice that width, 128 channels, as in DiffusionPDE. */
  SONG,
  /** The U-Net for sequences with half that width, 32 channels, as in S3GM. */
  VIDEO;

  /** Returns the backbone with a name. */
  public static Backbone of(String name) {
    return Named.parse(Backbone.class, name, "backbone");
  }

  @Override
  public String toString() {
    return Named.of(this);
  }
}
