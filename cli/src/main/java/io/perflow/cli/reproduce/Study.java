package io.perflow.cli.reproduce;

import io.perflow.flow.SourceDistribution;
import io.perflow.tensor.Named;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** The tables and figures of the paper, with their rows and columns. */
public enum Study {
  /** All systems on all benchmarks. */
  TABLE1(
      "Reconstruction on four benchmarks",
      Metric.REL_L2,
      Metric.REL_L1,
      Metric.PHYS_ERR,
      Metric.SECONDS) {
    @Override
    List<Trial> trials(Trial.Context context) {
      return rows(ours(context), published(context, List.of(Method.DIFFUSION_PDE, Method.S3GM)));
    }

    @Override
    List<Timing> timings(Trial.Context context) {
      return TIME.timings(context);
    }
  },
  /** The times of all systems; nothing is trained or tested. */
  TIME("Time of one sample", Metric.RATIO, Metric.SECONDS) {
    @Override
    List<Trial> trials(Trial.Context context) {
      return rows(ours(context), published(context, GUIDED));
    }

    // Measured in two runs, so that times of the paper's systems that were measured before the
    // others were added remain valid. PerFlow is in both as the unit of the ratios.
    @Override
    List<Timing> timings(Trial.Context context) {
      List<Timing> timings = new ArrayList<>(Timing.of(published(context, GUIDED)));
      timings.addAll(Timing.of(ours(context)));
      return timings;
    }

    @Override
    boolean tested() {
      return false;
    }
  },
  /** The ablation: the same network on other paths. */
  TABLE2("Ablation on Burgers", Metric.REL_L2, Metric.REL_L1, Metric.PHYS_ERR, Metric.SECONDS) {
    @Override
    List<Trial> trials(Trial.Context context) {
      int few = context.scale().few();
      List<Trial> rows = new ArrayList<>();
      for (Method method :
          List.of(
              Method.PERFLOW, Method.RF, Method.DDIM, Method.DDPM, Method.DDPM_NAIVE, Method.FM)) {
        rows.add(Trial.of(method, Benchmark.BURGERS, few, 50, context));
      }
      int all = context.scale().many(1000);
      rows.add(Trial.of(Method.DDPM, Benchmark.BURGERS, all, 1000, context));
      return rows;
    }
  },
  /** Regression by a conditional FNO. */
  FNO("Conditional FNO", Metric.REL_L2, Metric.REL_L1, Metric.PHYS_ERR, Metric.SECONDS) {
    @Override
    List<Trial> trials(Trial.Context context) {
      List<Trial> rows = new ArrayList<>();
      for (Benchmark benchmark : Benchmark.values()) {
        rows.add(Trial.of(Method.PERFLOW, benchmark, context.scale().few(), 50, context));
        rows.add(Trial.of(Method.CFNO, benchmark, 0, 0, context));
      }
      return rows;
    }
  },
  /** Error against the number of steps. */
  STEPS("Error against the number of steps, Burgers", Metric.REL_L2, Metric.SECONDS) {
    @Override
    List<Trial> trials(Trial.Context context) {
      int[] counts =
          context.scale() == Scale.SMOKE ? new int[] {2, 4} : new int[] {2, 5, 10, 20, 50, 100};
      List<Trial> rows = new ArrayList<>();
      for (Method method :
          List.of(
              Method.PERFLOW,
              Method.RF,
              Method.FM,
              Method.DDIM,
              Method.DDPM,
              Method.DIFFUSION_PDE,
              Method.S3GM)) {
        for (int count : counts) {
          rows.add(
              Trial.of(method, Benchmark.BURGERS, count, 0, context)
                  .setting(count + " steps", count));
        }
      }
      return rows;
    }
  },
  /** Uncertainty by ensembles. */
  UQ(
      "Uncertainty of ensembles",
      Metric.MEAN_L2,
      Metric.REL_L2,
      Metric.CRPS,
      Metric.COVERAGE,
      Metric.CALIBRATED,
      Metric.LEVEL,
      Metric.SPREAD_SKILL,
      Metric.CORRELATION) {
    @Override
    List<Trial> trials(Trial.Context context) {
      int members = context.scale().members();
      return Arrays.stream(Benchmark.values())
          .flatMap(benchmark -> probabilistic(benchmark, context))
          .map(trial -> trial.members(members).setting(members + " samples", Double.NaN))
          .toList();
    }
  },
  /** The distribution the flow starts from. */
  BASE("Base distributions", Metric.REL_L1, Metric.REL_L2, Metric.PHYS_ERR) {
    @Override
    List<Trial> trials(Trial.Context context) {
      List<Trial> rows = new ArrayList<>();
      for (Benchmark benchmark : List.of(Benchmark.BURGERS, Benchmark.NS)) {
        for (SourceDistribution base : NOISES) {
          Trial usual = Trial.of(Method.PERFLOW, benchmark, context.scale().few(), 50, context);
          rows.add(usual.training(usual.training().base(base)).setting(words(base), Double.NaN));
        }
      }
      return rows;
    }
  },
  /** Readings with errors. */
  NOISE("Noise of the readings", Metric.REL_L1, Metric.REL_L2, Metric.PHYS_ERR) {
    @Override
    List<Trial> trials(Trial.Context context) {
      List<Trial> rows = new ArrayList<>();
      for (Benchmark benchmark : List.of(Benchmark.POISSON, Benchmark.BURGERS)) {
        for (Trial usual : probabilistic(benchmark, context).toList()) {
          for (int percent : new int[] {0, 1, 5, 10}) {
            rows.add(usual.noise(percent / 100.0).setting(percent + " %", percent));
          }
        }
      }
      return rows;
    }
  },
  /** The number of sensors. */
  OBSERVATIONS("Number of sensors", Metric.REL_L2, Metric.REL_L1) {
    @Override
    List<Trial> trials(Trial.Context context) {
      List<Trial> rows = new ArrayList<>();
      int[] counts = {300, 500, 800, 1600, 3200};
      for (Benchmark benchmark : List.of(Benchmark.POISSON, Benchmark.DARCY)) {
        int fewest = context.scale().forArea(benchmark, counts[0]);
        int most = context.scale().forArea(benchmark, counts[counts.length - 1]);
        for (Trial usual : probabilistic(benchmark, context).toList()) {
          // A model from a prior serves other numbers of sensors than its own; one from noise does
          // not.
          Trial ready =
              usual.method() == Method.PERFLOW
                  ? usual.training(usual.training().sensors(fewest, most))
                  : usual;
          for (int count : counts) {
            int sensors = context.scale().forArea(benchmark, count);
            rows.add(
                ready.sensors(sensors).setting(sensors + " sensors (for " + count + ")", sensors));
          }
        }
      }
      return rows;
    }
  },
  /** The number of training fields. */
  DATA("Number of training fields, Poisson", Metric.REL_L2, Metric.REL_L1) {
    @Override
    List<Trial> trials(Trial.Context context) {
      List<Trial> rows = new ArrayList<>();
      for (int count : new int[] {200, 500, 1000, 2000, 5000}) {
        int fields = context.scale().forShare(count);
        Trial usual =
            Trial.of(Method.PERFLOW, Benchmark.POISSON, context.scale().few(), 50, context);
        rows.add(
            usual
                .training(usual.training().fields(fields))
                .setting(fields + " fields (for " + count + ")", fields));
      }
      return rows.stream().distinct().toList();
    }
  },
  /** The weights of guidance. */
  WEIGHT("Sensitivity to the weights of guidance, Burgers", Metric.REL_L2, Metric.REL_L1) {
    @Override
    List<Trial> trials(Trial.Context context) {
      int few = context.scale().few();
      List<Trial> rows = new ArrayList<>();
      for (Method guided : List.of(Method.DIFFUSION_PDE, Method.S3GM)) {
        for (double factor : new double[] {0.01, 0.1, 1, 10, 100}) {
          rows.add(
              Trial.of(guided, Benchmark.BURGERS, few, 50, context)
                  .weight(factor)
                  .setting("weights x " + number(factor), factor));
        }
      }
      rows.add(
          Trial.of(Method.PERFLOW, Benchmark.BURGERS, few, 50, context)
              .setting("has none", Double.NaN));
      return rows;
    }
  };

  private static final List<Method> GUIDED =
      List.of(Method.DIFFUSION_PDE, Method.DIFFUSION_PDE_SEPARATE, Method.S3GM);

  // The distributions from which a flow may start without a prior.
  private static final List<SourceDistribution> NOISES =
      List.of(
          SourceDistribution.GAUSSIAN,
          SourceDistribution.UNIFORM,
          SourceDistribution.MIXTURE,
          SourceDistribution.RANDOM_FIELD);

  private final String title;
  private final List<Metric> metrics;

  Study(String title, Metric... metrics) {
    this.title = title;
    this.metrics = List.of(metrics);
  }

  /** Returns the study of a name. */
  public static Study of(String name) {
    return Named.parse(Study.class, name, "study");
  }

  // PerFlow, methods with guidance, and inverted surrogates, on every benchmark.
  private static List<Trial> published(Trial.Context context, List<Method> guided) {
    Scale scale = context.scale();
    List<Trial> rows = new ArrayList<>();
    for (Benchmark benchmark : Benchmark.values()) {
      rows.add(Trial.of(Method.PERFLOW, benchmark, scale.few(), 50, context));
      for (Method method : guided) {
        rows.add(Trial.of(method, benchmark, scale.few(), 50, context));
        rows.add(Trial.of(method, benchmark, scale.many(2000), 2000, context));
      }
      for (Method inverted : List.of(Method.UNET, Method.FNO, Method.F_FNO)) {
        rows.add(Trial.of(inverted, benchmark, scale.iterations(), 0, context));
      }
    }
    return rows;
  }

  // PerFlow, the systems that start from the data's Gaussian, and the regression, on every
  // benchmark.
  private static List<Trial> ours(Trial.Context context) {
    List<Trial> rows = new ArrayList<>();
    for (Benchmark benchmark : Benchmark.values()) {
      rows.addAll(probabilistic(benchmark, context).toList());
      rows.add(Trial.of(Method.CFNO, benchmark, 0, 0, context));
    }
    return rows;
  }

  // The systems that draw samples of the posterior without guidance.
  private static Stream<Trial> probabilistic(Benchmark benchmark, Trial.Context context) {
    int few = context.scale().few();
    Stream<Trial> learnt =
        Stream.of(
            Trial.of(Method.PERFLOW, benchmark, few, 50, context),
            Trial.of(Method.PERFLOW_G, benchmark, few, 50, context),
            Trial.of(Method.KRIGING, benchmark, 0, 0, context));
    return benchmark.statesEquation()
        ? Stream.concat(learnt, Stream.of(Trial.of(Method.ASSIMILATION, benchmark, 0, 0, context)))
        : learnt;
  }

  // Benchmark by benchmark, each row once.
  private static List<Trial> rows(List<Trial> first, List<Trial> then) {
    return Stream.concat(first.stream(), then.stream())
        .distinct()
        .sorted(Comparator.comparing(Trial::benchmark))
        .toList();
  }

  /** Returns its rows. */
  abstract List<Trial> trials(Trial.Context context);

  /** Returns the trials whose times are compared, in one run each. */
  List<Timing> timings(Trial.Context context) {
    return metrics.contains(Metric.SECONDS) ? Timing.of(trials(context)) : List.of();
  }

  /** Returns whether its rows are tested; otherwise they are only timed. */
  boolean tested() {
    return true;
  }

  /** Returns its columns, the most telling first. */
  List<Metric> metrics() {
    return metrics;
  }

  String title() {
    return title;
  }

  private static String words(SourceDistribution base) {
    return base.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  private static String number(double value) {
    return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
  }

  @Override
  public String toString() {
    return Named.of(this);
  }
}
