package io.perflow.cli.reproduce;

import io.perflow.flow.FlowConfig;
import io.perflow.flow.Recipe;
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
import io.perflow.physics.prior.GaussianPrior;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** The models that are trained; several methods may draw from one model. */
enum Model {
  /** The rectified flow with the physics inside. */
  PERFLOW(1e-4) {
    @Override
    Object make(Training training, Workbench bench) throws IOException {
      return bench.trained(
          RectifiedFlow.of(training.setting(bench.normalization()), training.rng()));
    }
  },
  /** The same flow, starting from the Gaussian that the training fields imply instead of noise. */
  PERFLOW_G(1e-4) {
    @Override
    Object make(Training training, Workbench bench) throws IOException {
      FlowConfig setting = training.setting(bench.normalization());
      return bench.trained(RectifiedFlow.of(setting, bench.prior().prior(), training.rng()));
    }

    @Override
    Recipe recipe(Scale scale) {
      return Recipe.PRIOR;
    }
  },
  /** This Gaussian alone: learnt from the fields in one go, without a network. */
  KRIGING(0) {
    @Override
    Object make(Training training, Workbench bench) throws IOException {
      return bench.prior();
    }

    @Override
    boolean hasNetwork() {
      return false;
    }

    @Override
    void describe(Scale scale, Map<String, Object> json) {
      json.put("modes", GaussianPrior.RANK);
    }
  },
  /** PerFlow's twin without projections. */
  RF(1e-4) {
    @Override
    Object make(Training training, Workbench bench) throws IOException {
      FlowConfig setting = training.setting(bench.normalization()).unprojected();
      return bench.trained(RectifiedFlow.of(setting, training.rng()));
    }
  },
  /** Flow matching along the path of a diffusion. */
  FM(1e-4) {
    @Override
    Object make(Training training, Workbench bench) throws IOException {
      ProbabilityPath path = new ProbabilityPath.VariancePreserving();
      FlowConfig setting = training.setting(bench.normalization());
      return bench.trained(FlowMatching.of(setting, path, training.rng()));
    }
  },
  /** A diffusion that receives the sensors. */
  DIFFUSION(1e-4) {
    @Override
    Object make(Training training, Workbench bench) throws IOException {
      FlowConfig setting = training.setting(bench.normalization());
      return bench.trained(Diffusion.of(setting, NoiseSchedule.linear(1000), training.rng()));
    }

    @Override
    void describe(Scale scale, Map<String, Object> json) {
      json.put("noise", "linear 1000");
    }
  },
  /** DiffusionPDE's denoiser. */
  EDM(2e-4) {
    @Override
    Object make(Training training, Workbench bench) throws IOException {
      FlowConfig setting = training.setting(bench.normalization());
      return bench.trained(
          EdmDenoiser.of(
              setting,
              Backbone.UNET,
              training.benchmark().denoiserUnits(setting.normalization()),
              training.scale().denoiser(),
              training.rng()));
    }

    @Override
    void describe(Scale scale, Map<String, Object> json) {
      json.put("output", scale.denoiser().name().toLowerCase(Locale.ROOT));
    }
  },
  /** S3GM's score. */
  SCORE(2e-4) {
    @Override
    Object make(Training training, Workbench bench) throws IOException {
      FlowConfig setting = training.setting(bench.normalization());
      return bench.trained(
          ScoreModel.of(setting, Backbone.UNET, training.scale().score(), training.rng()));
    }

    @Override
    void describe(Scale scale, Map<String, Object> json) {
      json.put("output", scale.score().name().toLowerCase(Locale.ROOT));
    }
  },
  /** The classic U-Net as a surrogate. */
  UNET(1e-3, SurrogateConfig.Kind.UNET),
  /** The Fourier operator as a surrogate. */
  FNO(1e-3, SurrogateConfig.Kind.FNO),
  /** The factorized Fourier operator as a surrogate. */
  F_FNO(1e-3, SurrogateConfig.Kind.F_FNO),
  /** The Fourier operator from readings to fields. */
  CFNO(1e-3) {
    @Override
    Object make(Training training, Workbench bench) throws IOException {
      SurrogateConfig operator = training.scale().surrogate(SurrogateConfig.Kind.FNO);
      FlowConfig setting = training.setting(bench.normalization());
      return bench.trained(Regression.of(setting, operator, training.rng()));
    }

    @Override
    void describe(Scale scale, Map<String, Object> json) {
      json.put("operator", scale.surrogate(SurrogateConfig.Kind.FNO).toJson());
    }
  };

  private final double rate;
  private final SurrogateConfig.Kind surrogate; // null for all others

  Model(double rate) {
    this(rate, null);
  }

  Model(double rate, SurrogateConfig.Kind surrogate) {
    this.rate = rate;
    this.surrogate = surrogate;
  }

  /**
   * Returns the model of a training: what the methods that belong to it draw from. All but the
   * surrogates override this.
   */
  Object make(Training training, Workbench bench) throws IOException {
    SurrogateConfig config = training.scale().surrogate(surrogate);
    FlowConfig setting = training.setting(bench.normalization());
    return bench.trained(Surrogate.of(setting, config, training.rng()));
  }

  /** Returns the recipe of the flow with which it shares its network and condition. */
  Recipe recipe(Scale scale) {
    return scale.recipe();
  }

  /** Returns whether it has a network, which is trained in steps. */
  boolean hasNetwork() {
    return true;
  }

  /** Adds what the setting does not say. */
  void describe(Scale scale, Map<String, Object> json) {
    if (surrogate != null) {
      json.put("surrogate", scale.surrogate(surrogate).toJson());
    }
  }

  /**
   * Returns the learning rate of a paper-sized training: the paper's for the flows, otherwise
   * published ones.
   */
  double rate() {
    return rate;
  }

  /** Returns the model for keys and files. */
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
