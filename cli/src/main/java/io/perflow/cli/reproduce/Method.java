package io.perflow.cli.reproduce;

import io.perflow.flow.Assimilation;
import io.perflow.flow.FlowSampler;
import io.perflow.flow.KrigingSampler;
import io.perflow.flow.OdeSolver;
import io.perflow.flow.PriorModel;
import io.perflow.flow.Reconstructor;
import io.perflow.flow.RectifiedFlow;
import io.perflow.flow.baseline.Diffusion;
import io.perflow.flow.baseline.DiffusionPde;
import io.perflow.flow.baseline.DiffusionSampler;
import io.perflow.flow.baseline.EdmDenoiser;
import io.perflow.flow.baseline.FlowMatching;
import io.perflow.flow.baseline.Guidance;
import io.perflow.flow.baseline.Regression;
import io.perflow.flow.baseline.S3gm;
import io.perflow.flow.baseline.ScoreModel;
import io.perflow.flow.baseline.Surrogate;
import io.perflow.flow.baseline.SurrogateInversion;
import io.perflow.tensor.Named;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.BiFunction;

/** The rows of the paper's tables: the methods that draw fields from a model. */
enum Method {
  PERFLOW("PerFlow", Model.PERFLOW, 1, RectifiedFlow.class, Method::flow),
  PERFLOW_G("PerFlow-G", Model.PERFLOW_G, 1, RectifiedFlow.class, Method::flow),
  KRIGING("kriging", Model.KRIGING, 1, PriorModel.class, Method::kriging),
  ASSIMILATION("assimilation", Model.KRIGING, 1, PriorModel.class, Method::assimilation),
  RF("RF", Model.RF, 1, RectifiedFlow.class, Method::flow),
  FM(
      "FM",
      Model.FM,
      1,
      FlowMatching.class,
      (flow, draw) -> flow.sampler(OdeSolver.euler(draw.steps()), draw.batch())),
  DDIM(
      "DDIM",
      Model.DIFFUSION,
      1,
      Diffusion.class,
      (diffusion, draw) -> DiffusionSampler.ddim(diffusion, draw.steps()).batch(draw.batch())),
  DDPM(
      "DDPM",
      Model.DIFFUSION,
      1,
      Diffusion.class,
      (diffusion, draw) -> DiffusionSampler.ddpm(diffusion, draw.steps()).batch(draw.batch())),
  DDPM_NAIVE(
      "DDPM",
      Model.DIFFUSION,
      1,
      Diffusion.class,
      (diffusion, draw) -> DiffusionSampler.naive(diffusion, draw.steps()).batch(draw.batch())),
  DIFFUSION_PDE("DiffusionPDE", Model.EDM, 5, EdmDenoiser.class, Method::diffusionPde),
  DIFFUSION_PDE_SEPARATE(
      "DiffusionPDE",
      Model.EDM,
      7,
      EdmDenoiser.class,
      (denoiser, draw) -> diffusionPde(denoiser, draw).gradients(DiffusionPde.Gradients.SEPARATE)),
  S3GM("S3GM", Model.SCORE, 2.5, ScoreModel.class, Method::s3gm),
  UNET("UNet", Model.UNET, 2, Surrogate.class, Method::inversion),
  FNO("FNO", Model.FNO, 2, Surrogate.class, Method::inversion),
  F_FNO("F-FNO", Model.F_FNO, 2, Surrogate.class, Method::inversion),
  CFNO("conditional FNO", Model.CFNO, 1, Regression.class, (operator, _) -> operator);

  /** The number in S3GM for flows. */
  private static final double STRENGTH = 0.5;

  private final String label;
  private final Model model;
  private final double evaluations;
  private final BiFunction<Object, Draw, Reconstructor> system;

  <M> Method(
      String label,
      Model model,
      double evaluations,
      Class<M> type,
      BiFunction<M, Draw, Reconstructor> system) {
    this.label = label;
    this.model = model;
    this.evaluations = evaluations;
    this.system = (made, draw) -> system.apply(type.cast(made), draw);
  }

  /**
   * The settings for drawing samples.
   *
   * @param benchmark the benchmark of the fields
   * @param steps the number of steps of the sampler or optimizer, 0 for none
   * @param weight the factor of the published weights of guidance
   * @param batch the number of samples at once
   * @param noise the noise of the readings, relative to their standard deviation, for systems that
   *     take it into account
   */
  record Draw(Benchmark benchmark, int steps, double weight, int batch, double noise) {
    Draw steps(int other) {
      return new Draw(benchmark, other, weight, batch, noise);
    }

    Draw batch(int size) {
      return new Draw(benchmark, steps, weight, size, noise);
    }
  }

  /** Returns the methods of names. */
  static Set<Method> of(Set<String> names) {
    Set<Method> methods = EnumSet.noneOf(Method.class);
    for (String name : names) {
      methods.add(Named.parse(Method.class, name, "system"));
    }
    return methods;
  }

  /** Returns the system that draws from what {@link #model} made. */
  Reconstructor of(Object made, Draw draw) {
    return system.apply(made, draw);
  }

  // Normalized fields have a standard deviation of about 1, so the relative noise is that of the
  // readings.
  private static FlowSampler flow(RectifiedFlow flow, Draw draw) {
    return FlowSampler.of(flow)
        .solver(OdeSolver.euler(draw.steps()))
        .batch(draw.batch())
        .noise(draw.noise());
  }

  private static KrigingSampler kriging(PriorModel prior, Draw draw) {
    return prior.kriging().noise(draw.noise());
  }

  private static Assimilation assimilation(PriorModel prior, Draw draw) {
    return prior.assimilation().noise(draw.noise());
  }

  private static DiffusionPde diffusionPde(EdmDenoiser denoiser, Draw draw) {
    Guidance guidance = draw.benchmark().guidance().scaled(draw.weight(), draw.weight());
    return DiffusionPde.of(denoiser, guidance, draw.steps()).batch(draw.batch());
  }

  private static S3gm s3gm(ScoreModel score, Draw draw) {
    return S3gm.of(score, STRENGTH * draw.weight(), draw.steps()).batch(draw.batch());
  }

  private static SurrogateInversion inversion(Surrogate surrogate, Draw draw) {
    return SurrogateInversion.of(surrogate, draw.steps()).batch(draw.batch());
  }

  /** Returns the name in tables, which does not include the steps of an optimizer. */
  String label(int steps) {
    return switch (this) {
      case UNET, FNO, F_FNO, CFNO -> label;
      case DDPM_NAIVE -> label + "-" + steps + " (naive)";
      case DIFFUSION_PDE_SEPARATE -> label + "-" + steps + " (separate gradients)";
      default -> steps == 0 ? label : label + "-" + steps;
    };
  }

  /** Returns the model from which it draws. */
  Model model() {
    return model;
  }

  @Override
  public String toString() {
    return Named.of(this);
  }

  /** Returns about how many evaluations of the network a step costs. */
  double evaluations() {
    return evaluations;
  }
}
