package io.perflow.cli.reproduce;

import io.perflow.flow.DataSource;
import io.perflow.flow.Ensemble;
import io.perflow.flow.Evaluation;
import io.perflow.flow.FieldSampler;
import io.perflow.flow.Objective;
import io.perflow.flow.Observations;
import io.perflow.flow.PriorModel;
import io.perflow.flow.Reconstructor;
import io.perflow.flow.TrainConfig;
import io.perflow.flow.Trainer;
import io.perflow.flow.TrainingException;
import io.perflow.flow.TrainingListener;
import io.perflow.flow.baseline.DivergedException;
import io.perflow.flow.log.TrainingLog;
import io.perflow.nn.Weights;
import io.perflow.physics.Dataset;
import io.perflow.physics.Generation;
import io.perflow.physics.Noise;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.Scaling;
import io.perflow.physics.prior.GaussianPrior;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Settings;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The laboratory of a reproduction, which makes data, trains models and tests methods, each once:
 * whatever is found under its directory is taken from there.
 *
 * <pre>
 * fields/poisson-train-KEY.safetensors   data
 * runs/perflow-poisson-KEY/              training: configuration.json, last and best weights, logs
 * runs/kriging-poisson-KEY/              Gaussian prior: configuration.json, prior
 * trials/KEY.json                        a test: its configuration and its result
 * </pre>
 */
final class Laboratory {
  private final Path root;
  private final Scale scale;
  private final long seed;
  private final Watcher watcher;
  private final Device device;
  private final Map<String, Dataset> open = new LinkedHashMap<>(); // of one benchmark at a time

  Laboratory(Path root, Trial.Context context, Watcher watcher, Device device) {
    this.root = root;
    scale = context.scale();
    seed = context.seed();
    this.watcher = watcher;
    this.device = device;
  }

  // ---- data

  private Generation generation(Benchmark benchmark, String split) {
    int samples =
        switch (split) {
          case "train" -> scale.training(benchmark);
          case "val" -> scale.validation(benchmark);
          default -> scale.test();
        };
    return new Generation(
        benchmark.generator(scale.grid(benchmark)),
        split,
        seed,
        samples,
        DataType.F32,
        Scaling.UNIT,
        Map.of("preset", "paper"));
  }

  private Path dataFile(Benchmark benchmark, String split) {
    Generation generation = generation(benchmark, split);
    Map<String, Object> key = new LinkedHashMap<>();
    key.put("parameters", generation.generator().parameters());
    key.put("samples", generation.samples());
    key.put("seed", seed);
    String name = "%s-%s-%s.safetensors".formatted(benchmark, split, Key.of(key));
    return root.resolve("fields").resolve(name);
  }

  /** Returns whether the data of a benchmark are there. */
  boolean hasData(Benchmark benchmark) {
    return Files.exists(dataFile(benchmark, "train"))
        && Files.exists(dataFile(benchmark, "val"))
        && Files.exists(dataFile(benchmark, "test"));
  }

  /** Generates the missing data of a benchmark. */
  void makeData(Benchmark benchmark) throws IOException {
    Files.createDirectories(root.resolve("fields"));
    for (String split : new String[] {"train", "val", "test"}) {
      Path file = dataFile(benchmark, split);
      if (!Files.exists(file)) {
        Generation generation = generation(benchmark, split);
        int threads = Settings.threads();
        // Samples are computed side by side, each on one thread.
        Settings.threads(1);
        try (Watcher.Task task =
            watcher.begin("simulate " + benchmark + " " + split, generation.samples())) {
          generation.run(file, threads, task::accept);
        } finally {
          Settings.threads(threads);
        }
      }
    }
  }

  private Dataset data(Benchmark benchmark, String split) throws IOException {
    String name = benchmark + "-" + split;
    if (!open.containsKey(name)) {
      open.keySet().removeIf(other -> !other.startsWith(benchmark.toString()));
      makeData(benchmark);
      Dataset read = Dataset.read(dataFile(benchmark, split));
      Scope.detach(read.fields()); // it outlives the trial that asked for it first
      open.put(name, read);
    }
    return open.get(name);
  }

  private Normalization units(Benchmark benchmark) throws IOException {
    return data(benchmark, "train").normalization();
  }

  private Tensor normalized(Benchmark benchmark, String split, int count) throws IOException {
    Tensor fields = data(benchmark, split).first(count).fields();
    return units(benchmark).normalize(fields).contiguous();
  }

  // ---- training

  private Path run(Training training) throws IOException {
    return root.resolve("runs").resolve(training.label() + "-" + Key.of(training.toJson()));
  }

  private Path doneMark(Training training) throws IOException {
    return run(training).resolve("configuration.json");
  }

  /** Returns whether a training is complete. */
  boolean isTrained(Training training) throws IOException {
    return Files.exists(doneMark(training));
  }

  /**
   * Returns the model from which methods draw; runs or continues its training first.
   *
   * @throws TrainingException when it diverges
   * @throws StoppedException when it was asked to stop
   */
  Object made(Training training) throws IOException {
    return training.made(
        new Workbench() {
          @Override
          public Normalization normalization() throws IOException {
            return Laboratory.this.units(training.benchmark());
          }

          @Override
          public PriorModel prior() throws IOException {
            return Laboratory.this.prior(training);
          }

          @Override
          public <O extends Objective> O trained(O untrained) throws IOException {
            return Laboratory.this.trained(training, untrained);
          }
        });
  }

  /**
   * Returns the Gaussian prior of the fields of a training; kriging and flows from it share one.
   */
  PriorModel prior(Training training) throws IOException {
    Training own = training.model(Model.KRIGING);
    Path file = run(own).resolve("prior.safetensors");
    if (!isTrained(own)) {
      Benchmark benchmark = own.benchmark();
      try (Scope _ = Scope.open();
          Watcher.Task task = watcher.begin("learn " + own.label(), 1)) {
        task.accept(0);
        Dataset fields = data(benchmark, "train").first(own.fields()).with(own.problem());
        Dataset validation = data(benchmark, "val").with(own.problem());
        Files.createDirectories(file.getParent());
        PriorModel.calibrated(
                fields, validation, PriorModel.Use.KRIGING, GaussianPrior.RANK, _ -> {})
            .save(file);
      }
      finish(own);
    }
    return PriorModel.load(file);
  }

  private <O extends Objective> O trained(Training training, O model) throws IOException {
    if (!isTrained(training)) {
      train(training, model);
      finish(training);
    }
    Weights.load(run(training).resolve(Trainer.BEST), model.network());
    model.network().to(device);
    model.network().training(false);
    return model;
  }

  // The file says that the training is complete.
  private void finish(Training training) throws IOException {
    Map<String, Object> json = training.toJson();
    json.put("units", units(training.benchmark()).toJson());
    Json.write(doneMark(training), json);
  }

  private void train(Training training, Objective model) throws IOException {
    Benchmark benchmark = training.benchmark();
    TrainConfig settings = training.schedule();
    Path directory = run(training);
    Trainer trainer =
        new Trainer(
                model,
                DataSource.of(
                    training.problem(),
                    normalized(benchmark, "train", training.fields()),
                    settings),
                settings,
                directory)
            .validation(normalized(benchmark, "val", scale.validation(benchmark)))
            .device(device);
    Files.createDirectories(directory);
    long before = trainer.resume();
    boolean done;
    try (AutoCloseable _ = watcher.interruptible(trainer::stop);
        TrainingLog log = new TrainingLog(directory, before);
        Watcher.Task task = watcher.begin("train " + training.label(), settings.steps())) {
      task.accept(before);
      trainer.listener(log).listener(steps(task));
      done = trainer.train();
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) { // AutoCloseable may throw any exception, but a watcher does not
      throw new IllegalStateException(e);
    }
    if (!done) {
      throw new StoppedException();
    }
  }

  private static TrainingListener steps(Watcher.Task task) {
    return new TrainingListener() {
      @Override
      public void step(long step, double loss, double rate) {
        task.accept(step);
      }

      @Override
      public void validated(long step, double loss, Map<String, Double> diagnostics) {
        System.gc(); // see Reproduction
      }
    };
  }

  // ---- tests

  private Path file(Trial trial) throws IOException {
    return root.resolve("trials").resolve(Key.of(trial.toJson()) + ".json");
  }

  /** Returns whether a trial was made before. */
  boolean isTested(Trial trial) throws IOException {
    return Files.exists(file(trial));
  }

  /** Returns the result of a trial, which is run unless it was run before. */
  Outcome outcome(Trial trial) throws IOException {
    Path file = file(trial);
    if (Files.exists(file)) {
      Map<String, Object> json = Json.object(Json.read(file), file.toString());
      return json.containsKey("failure")
          ? Outcome.failed(Json.text(json.get("failure"), "failure"))
          : Outcome.of(Json.object(json.get("numbers"), "numbers"));
    }
    Outcome outcome = test(trial);
    Map<String, Object> json = new LinkedHashMap<>(outcome.toJson());
    json.put("configuration", trial.toJson());
    Files.createDirectories(file.getParent());
    Json.write(file, json);
    return outcome;
  }

  private Outcome test(Trial trial) throws IOException {
    try (Scope _ = Scope.open()) {
      Reconstructor system = system(trial);
      Test test = problem(trial);
      try (Watcher.Task task = watcher.begin("test " + name(trial), trial.fields())) {
        task.accept(0);
        Evaluation result =
            Evaluation.of(
                system,
                trial.training().problem(),
                units(trial.benchmark()),
                test.fields(),
                test.planes(),
                test.readings(),
                trial.members(),
                test.rng().split("samples"),
                task::accept);
        return finite(result);
      }
    } catch (DivergedException e) {
      return Outcome.failed("diverged at step %d of %d".formatted(e.step(), e.steps()));
    } catch (TrainingException e) {
      return Outcome.failed("training failed: " + e.getMessage());
    }
  }

  private Reconstructor system(Trial trial) throws IOException {
    Reconstructor system = trial.method().of(made(trial.training()), trial.draw());
    if (system instanceof FieldSampler) {
      return system; // it knows its device, and an evaluation asks it for its calibration
    }
    return new Reconstructor() {
      @Override
      public String name() {
        return system.name();
      }

      @Override
      public Ensemble reconstruct(Observations seen, int count, Rng rng) {
        return system.reconstruct(seen.to(device), count, rng);
      }
    };
  }

  // the flow's own sampler has no name for this
  private static Outcome finite(Evaluation result) {
    return Double.isFinite(result.relativeL2())
        ? Outcome.of(result.toJson())
        : Outcome.failed("diverged: an error of " + result.relativeL2());
  }

  private static String name(Trial trial) {
    String setting = trial.setting().isEmpty() ? "" : ", " + trial.setting();
    return "%s on %s%s".formatted(trial.label(), trial.benchmark(), setting);
  }

  /** Some fields to reconstruct and the readings of their sensors, the same for all methods. */
  private record Test(Tensor fields, Tensor planes, Tensor readings, Rng rng) {
    Observations seen(int index) {
      return new Observations(readings, planes).select(index);
    }
  }

  private Test problem(Trial trial) throws IOException {
    Benchmark benchmark = trial.benchmark();
    int size = scale.grid(benchmark);
    int sensors = trial.sensors();
    Problem problem = benchmark.problem(size, sensors, sensors);
    Rng rng = Rng.of(seed).split("test").split(benchmark.toString());
    Tensor fields = normalized(benchmark, "test", scale.test());
    Tensor planes = problem.masks().draw(rng.split("masks").split(sensors), scale.test());
    Noise noise = new Noise(trial.noise());
    Tensor readings = noise.observe(fields, problem.expand(planes), rng.split("noise"));
    // Drawn for all fields, so that those of a part stay the same.
    int count = trial.fields();
    return new Test(first(fields, count), first(planes, count), first(readings, count), rng);
  }

  private static Tensor first(Tensor fields, int count) {
    return fields.slice(0, 0, count).contiguous();
  }

  /**
   * A reconstruction to look at, in physical units.
   *
   * @param readings the readings at the sensors, zero elsewhere
   * @param mask the places of the sensors
   * @param truth the true field
   * @param drawn the samples
   */
  record Sight(Tensor readings, Tensor mask, Tensor truth, Ensemble drawn) {}

  /** Returns the first test field as a trial sees it. */
  Sight sight(Trial trial) throws IOException {
    Reconstructor system = system(trial);
    Test test = problem(trial);
    Observations seen = test.seen(0);
    Normalization units = units(trial.benchmark());
    Tensor samples =
        system.reconstruct(seen, trial.members(), test.rng().split("samples").split(0)).samples();
    return new Sight(
        units.denormalize(seen.values()),
        seen.mask(),
        units.denormalize(test.fields().slice(0, 0, 1).contiguous()),
        new Ensemble(units.denormalize(samples)));
  }
}
