package io.perflow.cli;

import io.perflow.cli.reproduce.PaperValues;
import io.perflow.flow.Evaluation;
import io.perflow.flow.FieldSampler;
import io.perflow.flow.FlowSampler;
import io.perflow.flow.Observations;
import io.perflow.flow.Reconstruction;
import io.perflow.flow.Reconstructor;
import io.perflow.flow.baseline.Interpolator;
import io.perflow.physics.Generation;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.Readings;
import io.perflow.physics.Scaling;
import io.perflow.physics.interpolation.Interpolation;
import io.perflow.physics.solver.Benchmark;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tasks;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The result of one benchmark of the demonstration.
 *
 * @param shipped the model's errors
 * @param kriging the errors of its Gaussian prior alone, which are the model's own if it has
 *     nothing else
 * @param spline the errors of a thin-plate spline through the readings
 * @param paper the Rel-l2 of PerFlow in the paper, on its own test fields
 * @param made the reconstruction of the first field
 * @param readings the readings of the first field
 * @param truth the first field, in physical units
 * @param trust how far that reconstruction can be trusted
 */
record DemoTrial(
    DemoBenchmark benchmark,
    Path model,
    Evaluation shipped,
    Evaluation kriging,
    Evaluation spline,
    double paper,
    Reconstruction made,
    Readings readings,
    Tensor truth,
    String trust) {
  /** The number of parts of a trial that are reported one by one. */
  static final int PARTS = 5;

  /** The number of fields, the samples of each, and the seed of both. */
  record Size(int fields, int samples, long seed) {}

  /**
   * Runs a benchmark.
   *
   * @param doing receives the name of each part that begins, {@link #PARTS} times
   */
  static DemoTrial run(DemoBenchmark benchmark, Path models, Size size, Consumer<String> doing)
      throws IOException {
    Path file = models.resolve(benchmark.key() + ".safetensors");
    if (!Files.exists(file)) {
      throw new IOException(
          "%s: there is no such file; the demonstration needs the shipped models: --models DIR"
              .formatted(file));
    }
    doing.accept("load " + file.getFileName());
    Model model = Model.load(file);
    Problem problem = model.problem();
    doing.accept("simulate " + Counted.of(size.fields, "field"));
    Tensor truth = simulated(benchmark, problem, size);
    Test test =
        new Test(problem, model.normalization(), truth, Rng.of(size.seed).split(benchmark.key()));
    Remembering own = new Remembering(sampler(model));
    doing.accept("reconstruct by " + own.name());
    Evaluation shipped = test.of(own, size.samples);
    doing.accept("reconstruct by kriging");
    boolean same = own.name().equals("kriging") || model.prior().isEmpty();
    Evaluation kriging = same ? shipped : test.of(model.requirePrior().kriging(), size.samples);
    doing.accept("reconstruct by a thin-plate spline");
    Evaluation spline = test.of(new Interpolator(problem, Interpolation.THIN_PLATE), 1);
    Tensor first = truth.slice(0, 0, 1).contiguous();
    Readings readings = Readings.observe(problem, first, test.planes().slice(0, 0, 1).contiguous());
    Reconstruction made = Reconstruction.judged(own, readings, own.first());
    return new DemoTrial(
        benchmark,
        file,
        shipped,
        kriging,
        spline,
        PaperValues.perflow(benchmark.key()),
        made,
        readings,
        first,
        Verdict.of(own, made));
  }

  private static FieldSampler sampler(Model model) {
    return model.flow().isPresent()
        ? FlowSampler.of(model.requireFlow())
        : model.requirePrior().sampler();
  }

  // In physical units; the parts of the data that trainings see have other names.
  private static Tensor simulated(DemoBenchmark benchmark, Problem problem, Size size) {
    Benchmark simulator = Benchmark.named(benchmark.key());
    Generation generation =
        new Generation(
            simulator.generator(simulator.preset(""), problem.grid().height()),
            "demo",
            size.seed,
            size.fields,
            DataType.F64,
            Scaling.UNIT,
            Map.of());
    Tensor[] fields = new Tensor[size.fields];
    Tasks.run(
        size.fields, i -> fields[i] = Tensor.of(generation.sample(i), problem.batch(1).toArray()));
    return Tensor.concat(0, fields);
  }

  /** Some fields and the readings of their sensors. */
  private record Test(Problem problem, Normalization units, Tensor fields, Tensor planes, Rng rng) {
    Test(Problem problem, Normalization units, Tensor physical, Rng rng) {
      this(
          problem,
          units,
          units.normalize(physical).to(DataType.F32).contiguous(),
          problem.masks().draw(rng.split("masks"), physical.dim(0)),
          rng);
    }

    Evaluation of(Reconstructor system, int members) {
      return Evaluation.of(
          system,
          problem,
          units,
          fields,
          planes,
          Observations.of(fields, planes).values(),
          members,
          rng.split("samples"),
          _ -> {});
    }
  }

  /** A method and the error of its best estimate, which is the mean where it draws samples. */
  record Score(String method, double error) {}

  /** Returns all methods that ran, the model's own first. */
  List<Score> scores() {
    List<Score> scores = new ArrayList<>();
    scores.add(new Score(shipped.system(), shipped.meanL2()));
    if (kriging != shipped) {
      scores.add(new Score(kriging.system(), kriging.meanL2()));
    }
    scores.add(new Score(spline.system(), spline.meanL2()));
    return scores;
  }

  /** Returns the share of the truth inside the intervals of {@link Evaluation#level}. */
  double coverage() {
    return Double.isNaN(shipped.calibrated()) ? shipped.coverage() : shipped.calibrated();
  }
}
