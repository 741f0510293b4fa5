package io.perflow.flow.baseline;

import io.perflow.flow.FlowConfig;
import io.perflow.nn.Layer;
import io.perflow.nn.unet.SongUNet;
import io.perflow.nn.unet.UNet;
import io.perflow.nn.unet.VideoUNet;
import io.perflow.physics.Problem;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;

/**
 * An unconditional network that maps a noisy field [batch, channels, height, width] and its noise
 * level to a field of the same shape.
 *
 * <p>The level is passed in two forms: as a time in [0, 1] for the embedding of the U-Net, and as
 * the number that the system's published network takes.
 */
final class NoiseNetwork {
  private final Problem problem;
  private final int frames;
  private final Backbone backbone;
  private final Layer layers;

  NoiseNetwork(FlowConfig setting, Backbone backbone, Rng rng) {
    this.backbone = backbone;
    problem = setting.problem();
    frames = problem.frameCount();
    int channels = problem.channelCount();
    int width = setting.network().widths().getFirst();
    layers =
        switch (backbone) {
          case UNET ->
              UNet.of(setting.network().channels(channels, channels), rng.split("network"));
          case SONG ->
              SongUNet.of(problem.grid().height(), channels, channels)
                  .width(2 * width)
                  .augment(0)
                  .build(rng.split("network"));
          case VIDEO ->
              VideoUNet.of(channels / frames, channels / frames)
                  .width(width / 2)
                  .groups(Math.min(32, width / 2))
                  .build(rng.split("network"));
        };
  }

  Layer layers() {
    return layers;
  }

  Backbone backbone() {
    return backbone;
  }

  /** Draws the dropout of a training step, before the step. */
  void draw(Rng rng) {
    switch (layers) {
      case SongUNet song -> song.draw(rng);
      case VideoUNet video -> video.draw(rng);
      default -> {}
    }
  }

  /**
   * Returns the output for x [batch, …], F32, with times [batch] in [0, 1] and levels [batch] as in
   * the publication.
   */
  Tensor output(Tensor x, Tensor time, Tensor level) {
    return switch (backbone) {
      case UNET -> layers.run(x, time);
      case SONG -> layers.run(x, level);
      case VIDEO -> video(x, level);
    };
  }

  // channel = component · frames + frame; the network needs the frames as the outer axis.
  private Tensor video(Tensor x, Tensor level) {
    int batch = x.dim(0);
    int components = problem.channelCount() / frames;
    try (Scope scope = Scope.open()) {
      Shape apart =
          Shape.of(batch, components, frames, problem.grid().height(), problem.grid().width());
      Tensor sequence = x.reshape(apart).permute(0, 2, 1, 3, 4).contiguous();
      Tensor none = Tensor.full(x.device(), Shape.of(batch, frames), x.type(), 0);
      Tensor out = layers.run(sequence, level, none).permute(0, 2, 1, 3, 4);
      return scope.keep(out.contiguous().reshape(x.shape()));
    }
  }
}
