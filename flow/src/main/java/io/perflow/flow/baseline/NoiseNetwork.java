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
 * A network that is told a field with noise and the level of the noise, and nothing of sensors:
 * fields [batch, channels, height, width] to fields of the same shape.
 *
 * <p>The level is given twice, as a time in [0, 1] for the U-Net, whose embedding expects that, and
 * as the number that the system's own network was published with.
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

  /** Decides about dropout, before each training step. */
  void draw(Rng rng) {
    switch (layers) {
      case SongUNet song -> song.draw(rng);
      case VideoUNet video -> video.draw(rng);
      default -> {}
    }
  }

  /**
   * The output for x [batch, …], F32, with times [batch] in [0, 1] and published levels [batch].
   */
  Tensor output(Tensor x, Tensor time, Tensor level) {
    return switch (backbone) {
      case UNET -> layers.run(x, time);
      case SONG -> layers.run(x, level);
      case VIDEO -> video(x, level);
    };
  }

  // channels are component · frames + frame; the network wants the frames outside
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
