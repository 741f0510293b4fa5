package io.perflow.cli.reproduce;

import io.perflow.flow.FlowSampler;
import io.perflow.flow.Objective;
import io.perflow.flow.OdeSolver;
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

/** A row of the paper's tables: how fields are drawn from a model. */
enum Method {
  PERFLOW("PerFlow", Model.PERFLOW, 1) {
    @Override
    Reconstructor of(Objective model, Draw draw) {
      return flow(model, draw);
    }
  },
  RF("RF", Model.RF, 1) {
    @Override
    Reconstructor of(Objective model, Draw draw) {
      return flow(model, draw);
    }
  },
  FM("FM", Model.FM, 1) {
    @Override
    Reconstructor of(Objective model, Draw draw) {
      return ((FlowMatching) model).sampler(OdeSolver.euler(draw.steps()), draw.batch());
    }
  },
  DDIM("DDIM", Model.DIFFUSION, 1) {
    @Override
    Reconstructor of(Objective model, Draw draw) {
      return DiffusionSampler.ddim((Diffusion) model, draw.steps()).batch(draw.batch());
    }
  },
  DDPM("DDPM", Model.DIFFUSION, 1) {
    @Override
    Reconstructor of(Objective model, Draw draw) {
      return DiffusionSampler.ddpm((Diffusion) model, draw.steps()).batch(draw.batch());
    }
  },
  DDPM_NAIVE("DDPM", Model.DIFFUSION, 1) {
    @Override
    Reconstructor of(Objective model, Draw draw) {
      return DiffusionSampler.naive((Diffusion) model, draw.steps()).batch(draw.batch());
    }
  },
  DIFFUSION_PDE("DiffusionPDE", Model.EDM, 5) {
    @Override
    Reconstructor of(Objective model, Draw draw) {
      return diffusionPde(model, draw);
    }
  },
  DIFFUSION_PDE_SEPARATE("DiffusionPDE", Model.EDM, 7) {
    @Override
    Reconstructor of(Objective model, Draw draw) {
      return diffusionPde(model, draw).gradients(DiffusionPde.Gradients.SEPARATE);
    }
  },
  S3GM("S3GM", Model.SCORE, 2.5) {
    @Override
    Reconstructor of(Objective model, Draw draw) {
      return S3gm.of((ScoreModel) model, STRENGTH * draw.weight(), draw.steps())
          .batch(draw.batch());
    }
  },
  UNET("UNet", Model.UNET, 2) {
    @Override
    Reconstructor of(Objective model, Draw draw) {
      return inversion(model, draw);
    }
  },
  FNO("FNO", Model.FNO, 2) {
    @Override
    Reconstructor of(Objective model, Draw draw) {
      return inversion(model, draw);
    }
  },
  F_FNO("F-FNO", Model.F_FNO, 2) {
    @Override
    Reconstructor of(Objective model, Draw draw) {
      return inversion(model, draw);
    }
  },
  CFNO("conditional FNO", Model.CFNO, 1) {
    @Override
    Reconstructor of(Objective model, Draw draw) {
      return (Regression) model;
    }
  };

  /** S3GM's number for flows. */
  private static final double STRENGTH = 0.5;

  private final String label;
  private final Model model;
  private final double evaluations;

  Method(String label, Model model, double evaluations) {
    this.label = label;
    this.model = model;
    this.evaluations = evaluations;
  }

  /**
   * How samples are drawn.
   *
   * @param benchmark of the fields
   * @param steps of the sampler or optimiser, 0 for none
   * @param weight multiplies the published weights of guidance
   * @param batch samples at once
   */
  record Draw(Benchmark benchmark, int steps, double weight, int batch) {
    Draw steps(int other) {
      return new Draw(benchmark, other, weight, batch);
    }
  }

  /** The methods of names; all when there are none. */
  static Set<Method> of(Set<String> names) {
    Set<Method> methods = EnumSet.noneOf(Method.class);
    for (String name : names) {
      methods.add(Named.parse(Method.class, name, "system"));
    }
    return methods.isEmpty() ? EnumSet.allOf(Method.class) : methods;
  }

  /** The system that draws from a trained model. */
  abstract Reconstructor of(Objective model, Draw draw);

  private static Reconstructor flow(Objective model, Draw draw) {
    return FlowSampler.of((RectifiedFlow) model)
        .solver(OdeSolver.euler(draw.steps()))
        .batch(draw.batch());
  }

  private static DiffusionPde diffusionPde(Objective model, Draw draw) {
    Guidance guidance = draw.benchmark().guidance().scaled(draw.weight(), draw.weight());
    return DiffusionPde.of((EdmDenoiser) model, guidance, draw.steps()).batch(draw.batch());
  }

  private static Reconstructor inversion(Objective model, Draw draw) {
    return SurrogateInversion.of((Surrogate) model, draw.steps()).batch(draw.batch());
  }

  /** The name in tables; the steps of an optimiser are no part of it. */
  String label(int steps) {
    return switch (this) {
      case UNET, FNO, F_FNO, CFNO -> label;
      case DDPM_NAIVE -> label + "-" + steps + " (naive)";
      case DIFFUSION_PDE_SEPARATE -> label + "-" + steps + " (separate gradients)";
      default -> steps == 0 ? label : label + "-" + steps;
    };
  }

  /** What it draws from. */
  Model model() {
    return model;
  }

  @Override
  public String toString() {
    return Named.of(this);
  }

  /** About how many evaluations of the network a step costs. */
  double evaluations() {
    return evaluations;
  }
}
