package io.perflow.flow.baseline;

import io.perflow.flow.Condition;
import io.perflow.flow.FlowConfig;
import io.perflow.flow.Objective;
import io.perflow.flow.Observations;
import io.perflow.nn.Loss;
import io.perflow.nn.Weights;
import io.perflow.nn.unet.UNet;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntToDoubleFunction;

/**
 * A conditional diffusion model (Ho et al., 2020), from which DDPM and DDIM sample. The network
 * receives a noisy field, x = √ᾱ x₁ + √(1 - ᾱ) ε, the step and the readings, and predicts the noise
 * ε; the loss is its mean square error.
 *
 * <p>If the flow of the same problem predicts the field, this network does so as well, and the
 * noise follows from x. The loss is then w |x̂₁ - x₁|², where w is the ratio of signal to noise ᾱ /
 * (1 - ᾱ), which makes it the loss of the noise. w is at least 1 (Salimans and Ho, Progressive
 * distillation, 2022: otherwise nothing is learnt where the sampler starts) and at most the flow's
 * largest weight, 16.
 *
 * <p>Network, condition and noise are those of the plain rectified flow of the same problem. The
 * noise may be a smooth random field instead of white: the posterior has the same coefficients for
 * any Gaussian noise.
 */
public final class Diffusion implements Objective {
  private static final String SYSTEM = "diffusion";
  private static final double LARGEST_WEIGHT = 16;

  private final ConditionalNetwork network;
  private final NoiseSchedule schedule;

  private Diffusion(FlowConfig setting, NoiseSchedule schedule, Rng rng) {
    network = new ConditionalNetwork(setting, rng);
    this.schedule = schedule;
  }

  /** Returns an untrained model; the problem's projections are not used. */
  public static Diffusion of(FlowConfig setting, NoiseSchedule schedule, Rng rng) {
    return new Diffusion(setting, schedule, rng);
  }

  /** Reads what {@link #save} or a {@link io.perflow.flow.Trainer} wrote. */
  public static Diffusion load(Path file) throws IOException {
    Description read = Description.read(SYSTEM, file);
    NoiseSchedule schedule = NoiseSchedule.of(read.text("schedule"), read.integer("steps"));
    Diffusion system = new Diffusion(read.setting(), schedule, Rng.of(0));
    Weights.load(file, system.network());
    return system;
  }

  /** Writes description and weights. */
  public void save(Path file) throws IOException {
    Weights.save(file, network(), description());
  }

  /** Returns fields, units, network, condition and noise. */
  public FlowConfig setting() {
    return network.setting();
  }

  /** Returns the steps of the noise. */
  public NoiseSchedule schedule() {
    return schedule;
  }

  @Override
  public UNet network() {
    return network.layers();
  }

  @Override
  public Map<String, String> description() {
    Map<String, Object> options = new LinkedHashMap<>();
    options.put("schedule", schedule.name());
    options.put("steps", schedule.steps());
    return Description.write(SYSTEM, setting(), options);
  }

  /** Draws noise of variance 1. */
  Tensor draw(Rng rng, Device device) {
    return network.noise(rng, 1, device);
  }

  /** Returns the condition of a sampler. */
  Condition given(Observations seen) {
    return network.given(seen);
  }

  /** Returns the noise in states x [batch, …] after a step. */
  Tensor noise(Tensor x, int step, Condition condition) {
    try (Scope scope = Scope.open()) {
      Tensor t = Tensor.full(x.device(), Shape.of(x.dim(0)), DataType.F32, time(step));
      if (givesNoise()) {
        return scope.keep(network.output(x, t, condition));
      }
      double kept = schedule.kept(step);
      Tensor signal = network.field(x, t, condition).mul(Math.sqrt(kept));
      return scope.keep(x.sub(signal).mul(1 / Math.sqrt(1 - kept)));
    }
  }

  private boolean givesNoise() {
    return setting().prediction() == FlowConfig.Prediction.VELOCITY;
  }

  private double time(int step) {
    return (double) step / schedule.steps();
  }

  @Override
  public Tensor loss(Tensor fields, Rng rng) {
    int batch = fields.dim(0);
    Device device = fields.device();
    Rng clock = rng.split("time");
    int[] steps = new int[batch];
    Arrays.setAll(steps, i -> clock.nextInt(schedule.steps()));
    Condition condition = network.drawCondition(fields, rng.split("mask"));
    Tensor noise = network.noise(rng.split("noise"), batch, device);
    Tensor signal = perSample(device, steps, step -> Math.sqrt(schedule.kept(step)));
    Tensor drowned = perSample(device, steps, step -> Math.sqrt(1 - schedule.kept(step)));
    Tensor x = fields.mul(signal).add(noise.mul(drowned));
    Tensor t = perSample(device, steps, this::time).reshape(batch);
    if (givesNoise()) {
      return Loss.meanSquaredError(network.output(x, t, condition), noise);
    }
    Tensor weight = perSample(device, steps, step -> Math.sqrt(weight(schedule.kept(step))));
    return network.field(x, t, condition).sub(fields).mul(weight).square().mean();
  }

  private static double weight(double kept) {
    return Math.clamp(kept / (1 - kept), 1, LARGEST_WEIGHT);
  }

  // [batch, 1, 1, 1]
  private static Tensor perSample(Device device, int[] steps, IntToDoubleFunction number) {
    double[] values = Arrays.stream(steps).mapToDouble(number).toArray();
    return Tensor.of(values, values.length, 1, 1, 1).to(DataType.F32).to(device);
  }
}
