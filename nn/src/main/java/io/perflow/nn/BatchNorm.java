package io.perflow.nn;

import io.perflow.tensor.Norms;
import io.perflow.tensor.Scope;
import io.perflow.tensor.ShapeException;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.Recorder;

/**
 * Batch normalisation (Ioffe and Szegedy, 2015) of x (n, c, …), per channel:
 *
 * <pre>
 * y = (x - mean) / sqrt(variance + 1e-5) * weight + bias
 * </pre>
 *
 * <p>In training mean and variance are those of the batch, and the buffers {@code running_mean} and
 * {@code running_var} (c) move a tenth of the way towards them, the variance towards the estimate
 * with n - 1. Otherwise the buffers take their place, so the result for an image does not depend on
 * the rest of the batch. The parameters are {@code weight} (c), ones at first, and {@code bias}
 * (c), zeros at first.
 */
public final class BatchNorm extends UnaryLayer {
  private static final double EPS = 1e-5;
  private static final double MOMENTUM = 0.1;

  private final int channels;
  private final Parameter weight;
  private final Parameter bias;
  private final Parameter runningMean;
  private final Parameter runningVariance;

  private BatchNorm(int channels) {
    this.channels = channels;
    weight = parameter("weight", Tensor.ones(channels));
    bias = parameter("bias", Tensor.zeros(channels));
    runningMean = buffer("running_mean", Tensor.zeros(channels));
    runningVariance = buffer("running_var", Tensor.ones(channels));
  }

  /** Returns a normalisation of this number of channels. */
  public static BatchNorm of(int channels) {
    return new BatchNorm(channels);
  }

  /**
   * Takes x (n, c, …).
   *
   * @throws ShapeException when x has another number of channels or, in training, only one number
   *     per channel, whose variance is undefined
   */
  @Override
  protected Tensor forward(Tensor x) {
    if (x.rank() < 2 || x.dim(1) != channels) {
      throw new ShapeException(
          "batch_norm", "input %s must be (n, %d, …)%s".formatted(x.shape(), channels, where()));
    }
    if (!training()) {
      return normalised(x, runningMean.value(), runningVariance.value());
    }
    int count = x.size() / channels;
    if (count < 2) {
      throw new ShapeException(
          "batch_norm",
          "input %s has %d numbers per channel, training needs at least two%s"
              .formatted(x.shape(), count, where()));
    }
    int[] axes = new int[x.rank() - 1];
    for (int a = 1; a < axes.length; a++) {
      axes[a] = a + 1; // all but the channels
    }
    try (Scope scope = Scope.open()) {
      Tensor mean = x.mean(true, axes);
      Tensor variance = x.sub(mean).square().mean(axes);
      Tensor flat = mean.reshape(channels);
      follow(flat, variance, count / (count - 1.0));
      return scope.keep(normalised(x, flat, variance));
    }
  }

  private Tensor normalised(Tensor x, Tensor mean, Tensor variance) {
    return Norms.batchNorm(x, mean, variance, weight.value(), bias.value(), EPS);
  }

  /** Updates the running averages without recording it on a tape. */
  private void follow(Tensor mean, Tensor variance, double correction) {
    Recorder recorder = Recorder.install(null);
    try {
      runningMean.assign(runningMean.value().mul(1 - MOMENTUM).add(mean.mul(MOMENTUM)));
      Tensor target = variance.mul(MOMENTUM * correction);
      runningVariance.assign(runningVariance.value().mul(1 - MOMENTUM).add(target));
    } finally {
      Recorder.install(recorder);
    }
  }
}
