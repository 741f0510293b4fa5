package io.perflow.cli.studio;

import io.perflow.cli.ReconstructionFiles;
import io.perflow.flow.Ensemble;
import io.perflow.flow.FieldSampler;
import io.perflow.flow.PriorModel;
import io.perflow.flow.Reconstruction;
import io.perflow.physics.Normalization;
import io.perflow.physics.Readings;
import io.perflow.physics.constraint.Certificate;
import io.perflow.physics.prior.Kriging;
import io.perflow.physics.prior.Sensing;
import io.perflow.tensor.Cancellation;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One reconstruction for a page: the first guess, then samples as they are drawn, then how they are
 * judged.
 *
 * <p>The first guess is the exact mean of kriging, which takes a fraction of a second. Sample i is
 * drawn from the same stream as sample i of {@code perflow reconstruct}.
 */
final class Run {
  // products for the exact deviation of kriging; more of them take longer than samples do
  private static final double MOST_PRODUCTS = 8e10;
  private static final long BETWEEN_PROGRESS = 100_000_000; // ns

  private final Opened opened;
  private final Device device;
  private final Study study;
  private final Readings readings;
  private final Job job;
  private final Jobs jobs;
  private final Events events;
  private long toldAt;

  Run(
      Opened opened,
      Device device,
      Study study,
      Readings readings,
      Job job,
      Jobs jobs,
      Events events) {
    this.opened = opened;
    this.device = device;
    this.study = study;
    this.readings = readings;
    this.job = job;
    this.jobs = jobs;
    this.events = events;
  }

  /** Told the reconstruction of each method when all its samples are there. */
  interface Finished {
    void made(Method method, Reconstruction made);
  }

  void go(Finished finished) {
    opened.model().prior().ifPresent(this::guess);
    if (study.samples() > 0) {
      for (Method method : study.methods()) {
        draw(method, finished);
      }
    }
  }

  // ---- the first guess

  private void guess(PriorModel model) {
    Normalization units = opened.normalization();
    jobs.turn(job, () -> model.prior().modes(this::preparing));
    Kriging known =
        jobs.turn(
            job,
            () -> {
              Kriging given = model.prior().given(Sensing.of(readings, units));
              Tensor mean = given.mean(Sensing.values(readings, units));
              events.send("guess", Map.of("mean", Events.encoded(units.denormalize(mean))));
              return given;
            });
    double products =
        (double) model.prior().modes().size() * Math.min(readings.size(), model.prior().rank());
    if (products <= MOST_PRODUCTS) {
      Tensor deviation = jobs.turn(job, known::deviation);
      Tensor zero = deviation.zerosLike();
      Tensor physical = units.denormalize(deviation).sub(units.denormalize(zero));
      events.send("guess", Map.of("deviation", Events.encoded(physical)));
    }
  }

  // what is done before there can be a picture
  private void preparing(double part, String note) {
    events.send("preparing", Map.of("part", part, "note", note));
  }

  // ---- samples

  private void draw(Method method, Finished finished) {
    long start = System.nanoTime();
    FieldSampler sampler =
        jobs.turn(
            job,
            () -> {
              tell(method, 0, method.next(0, study.samples()), 0, "preparing");
              FieldSampler made = method.sampler(opened, device, study);
              Reconstruction.begin(made, readings);
              return made;
            });
    Rng rng = Rng.of(study.seed()).split("samples");
    List<Tensor> drawn = new ArrayList<>();
    int there = 0;
    while (there < study.samples()) {
      int first = there;
      int count = method.next(there, study.samples());
      drawn.add(jobs.turn(job, () -> group(sampler, method, first, count, rng)));
      there += count;
      // whenever their number has doubled
      if (there == study.samples() || Integer.highestOneBit(there) > first) {
        Ensemble all = new Ensemble(Tensor.concat(0, drawn.toArray(Tensor[]::new)));
        Reconstruction made = jobs.turn(job, () -> Reconstruction.judged(sampler, readings, all));
        events.send("judged", judged(method, sampler, made, (System.nanoTime() - start) * 1e-9));
        if (there == study.samples()) {
          finished.made(method, made);
        }
      }
    }
  }

  private Tensor group(FieldSampler sampler, Method method, int first, int count, Rng rng) {
    sampler.listener(
        (part, note) -> {
          progress(method, first, count, part, note);
        });
    Tensor drawn = sampler.draw(readings, count, rng.from(first)).samples();
    Cancellation.check();
    for (int i = 0; i < count; i++) {
      Tensor one = opened.normalization().denormalize(drawn.slice(0, i, i + 1));
      Map<String, Object> sample = new LinkedHashMap<>();
      sample.put("method", method.toString());
      sample.put("index", first + i);
      sample.put("field", Events.encoded(one));
      events.send("sample", sample);
    }
    return drawn;
  }

  // how far the samples are that are being drawn; those before them are there
  private void progress(Method method, int first, int count, double part, String note) {
    if (System.nanoTime() - toldAt > BETWEEN_PROGRESS) {
      tell(method, first, count, part, note);
    }
  }

  private void tell(Method method, int first, int count, double part, String note) {
    toldAt = System.nanoTime();
    Map<String, Object> told = new LinkedHashMap<>();
    told.put("method", method.toString());
    told.put("first", first);
    told.put("count", count);
    told.put("part", part);
    told.put("note", note);
    events.send("progress", told);
  }

  private Map<String, Object> judged(
      Method method, FieldSampler sampler, Reconstruction made, double seconds) {
    Map<String, Object> found = new LinkedHashMap<>();
    found.put("method", method.toString());
    found.put("sampler", sampler.name());
    found.put("samples", made.fields().size());
    found.put("seconds", seconds);
    found.put("mean", Events.encoded(made.fields().mean()));
    found.put("deviation", Events.encoded(made.deviation()));
    found.put("calibrated", sampler.calibration().isPresent());
    if (Double.isFinite(made.distance())) {
      found.put("distance", made.distance());
    }
    found.put("warnings", made.warnings());
    found.put("misfits", ReconstructionFiles.misfits(made));
    List<Object> constraints = new ArrayList<>();
    for (Certificate.Entry entry : made.certificate().worst()) {
      Map<String, Object> residual = new LinkedHashMap<>();
      residual.put("constraint", entry.constraint());
      residual.put("max", entry.physical().max());
      residual.put("mean_square", entry.normalized().meanSquare());
      constraints.add(residual);
    }
    found.put("constraints", constraints);
    return found;
  }
}
