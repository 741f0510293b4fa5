package io.perflow.flow.baseline;

import io.perflow.flow.Condition;
import io.perflow.flow.Ensemble;
import io.perflow.flow.Observations;
import io.perflow.flow.Reconstructor;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import java.util.List;

/**
 * A sampler that draws ensembles from a {@link Diffusion}: DDPM with all of its steps or some, or
 * DDIM.
 *
 * <p>Nothing is clamped: fields do not lie in [-1, 1] as images do.
 */
public final class DiffusionSampler implements Reconstructor {
  private final Diffusion model;
  private final ReverseDiffusion process;
  private final String name;
  private int batch = 5;

  private DiffusionSampler(Diffusion model, ReverseDiffusion process, String name) {
    this.model = model;
    this.process = process;
    this.name = name;
  }

  /**
   * Returns DDPM with a number of re-spaced steps: variances are those between the steps that are
   * kept.
   */
  public static DiffusionSampler ddpm(Diffusion model, int steps) {
    NoiseSchedule schedule = model.schedule();
    ReverseDiffusion process = new ReverseDiffusion(schedule, schedule.spaced(steps), 1, false);
    return new DiffusionSampler(model, process, "DDPM-" + steps);
  }

  /**
   * Returns DDPM with a number of steps in the naive way, each with the posterior of a single
   * original step. Too much noise remains; the error of DDPM-50 in PerFlow's ablation has the size
   * of this one.
   */
  public static DiffusionSampler naive(Diffusion model, int steps) {
    NoiseSchedule schedule = model.schedule();
    ReverseDiffusion process = new ReverseDiffusion(schedule, schedule.spaced(steps), 1, true);
    return new DiffusionSampler(model, process, "DDPM-" + steps + "-naive");
  }

  /** Returns DDIM with a number of steps and without fresh noise. */
  public static DiffusionSampler ddim(Diffusion model, int steps) {
    NoiseSchedule schedule = model.schedule();
    ReverseDiffusion process = new ReverseDiffusion(schedule, schedule.strided(steps), 0, false);
    return new DiffusionSampler(model, process, "DDIM-" + steps);
  }

  /**
   * Sets how many samples run at once. More samples need more memory; the distribution of results
   * is the same.
   */
  public DiffusionSampler batch(int size) {
    batch = size;
    return this;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Ensemble reconstruct(Observations seen, int count, Rng rng) {
    return Drawing.draw(
        name, model.setting().problem(), seen, count, batch, rng, part -> draw(seen, part));
  }

  private Tensor draw(Observations seen, List<Rng> streams) {
    Device device = seen.values().device();
    Condition given = model.given(seen);
    Tensor start = Drawing.each(streams, stream -> model.draw(stream, device));
    return process.run(
        name,
        (x, step) -> model.noise(x, step, given),
        start,
        visit -> Drawing.each(streams, stream -> model.draw(stream.split(visit), device)));
  }
}
