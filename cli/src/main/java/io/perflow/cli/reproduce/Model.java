package io.perflow.cli.reproduce;

import io.perflow.flow.FlowConfig;
import io.perflow.flow.Objective;
import io.perflow.flow.RectifiedFlow;
import io.perflow.flow.baseline.Backbone;
import io.perflow.flow.baseline.Diffusion;
import io.perflow.flow.baseline.EdmDenoiser;
import io.perflow.flow.baseline.FlowMatching;
import io.perflow.flow.baseline.NoiseSchedule;
import io.perflow.flow.baseline.ProbabilityPath;
import io.perflow.flow.baseline.Regression;
import io.perflow.flow.baseline.ScoreModel;
import io.perflow.flow.baseline.Surrogate;
import io.perflow.flow.baseline.SurrogateConfig;
import io.perflow.tensor.Rng;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** What is trained; several methods may draw from one model. */
enum Model {
  /** The rectified flow with the physics inside. */
  PERFLOW(1e-4) {
    @Override
    Objective make(FlowConfig setting, Scale scale, Benchmark benchmark, Rng rng) {
      return RectifiedFlow.of(setting, rng);
    }
  },
  /** Its twin without projections. */
  RF(1e-4) {
    @Override
    Objective make(FlowConfig setting, Scale scale, Benchmark benchmark, Rng rng) {
      return RectifiedFlow.of(setting.unprojected(), rng);
    }
  },
  /** Flow matching along the path of a diffusion. */
  FM(1e-4) {
    @Override
    Objective make(FlowConfig setting, Scale scale, Benchmark benchmark, Rng rng) {
      return FlowMatching.of(setting, new ProbabilityPath.VariancePreserving(), rng);
    }
  },
  /** A diffusion that is told the sensors. */
  DIFFUSION(1e-4) {
    @Override
    Objective make(FlowConfig setting, Scale scale, Benchmark benchmark, Rng rng) {
      return Diffusion.of(setting, NoiseSchedule.linear(1000), rng);
    }

    @Override
    void describe(Scale scale, Map<String, Object> json) {
      json.put("noise", "linear 1000");
    }
  },
  /** DiffusionPDE's denoiser. */
  EDM(2e-4) {
    @Override
    Objective make(FlowConfig setting, Scale scale, Benchmark benchmark, Rng rng) {
      return EdmDenoiser.of(
          setting, Backbone.UNET, benchmark.denoiserUnits(setting.units()), scale.denoiser(), rng);
    }

    @Override
    void describe(Scale scale, Map<String, Object> json) {
      json.put("output", scale.denoiser().name().toLowerCase(Locale.ROOT));
    }
  },
  /** S3GM's score. */
  SCORE(2e-4) {
    @Override
    Objective make(FlowConfig setting, Scale scale, Benchmark benchmark, Rng rng) {
      return ScoreModel.of(setting, Backbone.UNET, scale.score(), rng);
    }

    @Override
    void describe(Scale scale, Map<String, Object> json) {
      json.put("output", scale.score().name().toLowerCase(Locale.ROOT));
    }
  },
  /** The classic U-Net as a surrogate. */
  UNET(1e-3) {
    @Override
    Objective make(FlowConfig setting, Scale scale, Benchmark benchmark, Rng rng) {
      return Surrogate.of(setting, scale.surrogate(SurrogateConfig.Kind.UNET), rng);
    }

    @Override
    void describe(Scale scale, Map<String, Object> json) {
      json.put("surrogate", scale.surrogate(SurrogateConfig.Kind.UNET).toJson());
    }
  },
  /** The Fourier operator as a surrogate. */
  FNO(1e-3) {
    @Override
    Objective make(FlowConfig setting, Scale scale, Benchmark benchmark, Rng rng) {
      return Surrogate.of(setting, scale.surrogate(SurrogateConfig.Kind.FNO), rng);
    }

    @Override
    void describe(Scale scale, Map<String, Object> json) {
      json.put("surrogate", scale.surrogate(SurrogateConfig.Kind.FNO).toJson());
    }
  },
  /** The factorized Fourier operator as a surrogate. */
  F_FNO(1e-3) {
    @Override
    Objective make(FlowConfig setting, Scale scale, Benchmark benchmark, Rng rng) {
      return Surrogate.of(setting, scale.surrogate(SurrogateConfig.Kind.F_FNO), rng);
    }

    @Override
    void describe(Scale scale, Map<String, Object> json) {
      json.put("surrogate", scale.surrogate(SurrogateConfig.Kind.F_FNO).toJson());
    }
  },
  /** The Fourier operator from readings to fields. */
  CFNO(1e-3) {
    @Override
    Objective make(FlowConfig setting, Scale scale, Benchmark benchmark, Rng rng) {
      return Regression.of(setting, scale.surrogate(SurrogateConfig.Kind.FNO), rng);
    }

    @Override
    void describe(Scale scale, Map<String, Object> json) {
      json.put("operator", scale.surrogate(SurrogateConfig.Kind.FNO).toJson());
    }
  };

  private final double rate;

  Model(double rate) {
    this.rate = rate;
  }

  /** The untrained model. */
  abstract Objective make(FlowConfig setting, Scale scale, Benchmark benchmark, Rng rng);

  /** Adds what is not said by the setting. */
  void describe(Scale scale, Map<String, Object> json) {}

  /**
   * The learning rate of a paper-sized training: the paper's for the flows, published ones else.
   */
  double rate() {
    return rate;
  }

  /** For keys and files. */
  Map<String, Object> toJson(Scale scale) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("name", toString());
    describe(scale, json);
    return json;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
