package io.perflow.cli.studio;

import io.perflow.cli.Model;
import io.perflow.flow.FieldSampler;
import io.perflow.flow.FlowSampler;
import io.perflow.flow.OdeSolver;
import io.perflow.flow.PriorModel;
import io.perflow.flow.RectifiedFlow;
import io.perflow.tensor.Device;
import io.perflow.tensor.Named;
import java.util.Arrays;
import java.util.List;

/**
 * The ways in which a model makes fields of readings, for a comparison side by side; the fastest
 * one first.
 */
enum Method {
  /** The Gaussian prior, conditioned on the readings. */
  KRIGING(8) {
    @Override
    boolean suits(Model model) {
      return model.prior().isPresent();
    }

    @Override
    FieldSampler sampler(Opened opened, Device device, Study study) {
      return opened.model().requirePrior().kriging();
    }

    @Override
    String options(Model model, Study study) {
      return "--system kriging";
    }
  },
  /** The network. */
  FLOW(1) {
    @Override
    boolean suits(Model model) {
      return model.flow().isPresent();
    }

    @Override
    FieldSampler sampler(Opened opened, Device device, Study study) {
      RectifiedFlow flow = opened.model().requireFlow();
      flow.network().to(device);
      return FlowSampler.of(flow).solver(OdeSolver.euler(study.steps())).batch(1);
    }

    @Override
    String options(Model model, Study study) {
      return "--system flow --steps " + study.steps();
    }
  },
  /** Samples of the flow, or of kriging where there is none, carried to solutions. */
  POLISH(4) {
    @Override
    boolean suits(Model model) {
      return model.prior().isPresent() && model.problem().equation().isPresent();
    }

    @Override
    FieldSampler sampler(Opened opened, Device device, Study study) {
      FieldSampler from = first(opened.model()).sampler(opened, device, study);
      return opened.assimilation().polishing(from, study.polish());
    }

    @Override
    String options(Model model, Study study) {
      return first(model).options(model, study) + " --polish " + study.polish();
    }

    private static Method first(Model model) {
      return model.flow().isPresent() ? FLOW : KRIGING;
    }
  },
  /** Solutions of the problem's equation that fit the readings. */
  ASSIMILATION(16) {
    @Override
    boolean suits(Model model) {
      return POLISH.suits(model);
    }

    @Override
    FieldSampler sampler(Opened opened, Device device, Study study) {
      return opened.assimilation();
    }

    @Override
    String options(Model model, Study study) {
      return "--system assimilation";
    }
  };

  // samples that are drawn together after the first few
  private final int group;

  Method(int group) {
    this.group = group;
  }

  abstract boolean suits(Model model);

  abstract FieldSampler sampler(Opened opened, Device device, Study study);

  /** The options of {@code perflow reconstruct} that ask for the same. */
  abstract String options(Model model, Study study);

  /** How many samples to draw next, when so many are there of so many. */
  int next(int there, int all) {
    return Math.min(all - there, Math.min(group, Math.max(1, there)));
  }

  /** Those that a model has, the usual one first. */
  static List<Method> of(Model model) {
    Method usual =
        model.flow().isPresent()
            ? FLOW
            : model.requirePrior().use() == PriorModel.Use.ASSIMILATION ? ASSIMILATION : KRIGING;
    return Arrays.stream(values())
        .filter(method -> method.suits(model))
        .sorted((a, b) -> Boolean.compare(b == usual, a == usual))
        .toList();
  }

  @Override
  public String toString() {
    return Named.of(this);
  }
}
