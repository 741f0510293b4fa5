package io.perflow.cli;

import io.perflow.cli.figure.FieldPanel;
import io.perflow.cli.figure.Figure;
import io.perflow.cli.figure.HtmlReport;
import io.perflow.fixtures.Resources;
import io.perflow.flow.Trainer;
import io.perflow.flow.log.CsvLog;
import io.perflow.flow.log.TensorBoardLog;
import io.perflow.flow.log.TrainingLog;
import io.perflow.interop.ArrayFiles;
import io.perflow.interop.ArrayInfo;
import io.perflow.interop.FieldFinder;
import io.perflow.interop.FinderOptions;
import io.perflow.interop.ForeignDatasets;
import io.perflow.nn.unet.UNet;
import io.perflow.nn.unet.UNetConfig;
import io.perflow.physics.Dataset;
import io.perflow.physics.Generation;
import io.perflow.physics.Problem;
import io.perflow.physics.Readings;
import io.perflow.physics.Scaling;
import io.perflow.physics.Sensors;
import io.perflow.physics.solver.Burgers;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Npy;
import io.perflow.tensor.io.Npz;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Reads damaged and forged files of every format and demands that each is used or refused in one
 * line of words, and soon.
 */
final class FileFuzz {
  /** The longest time that a file may keep its reader busy. */
  private static final double MOST_SECONDS = 2;

  private static final int LONGEST = 2000; // of an answer, in characters
  private static final int MOST_FAILURES = 100; // that are shown before one gives up

  /** Messages of the JDK about itself and not about the file. */
  private static final Pattern RAW =
      Pattern.compile(
          "For input string|integer overflow|Input length|Cannot invoke|out of bounds|: null"
              + "|class java|java\\.|\\p{Cntrl}");

  /** A reader of a file. */
  private interface Reader {
    void read(Path file) throws IOException;
  }

  /** A sound file, and the readers of files like it. */
  private record Seed(String name, Path file, Reader reader) {}

  private final Path directory;
  private final Map<String, Seed> seeds = new LinkedHashMap<>();

  FileFuzz(Path directory) throws IOException {
    this.directory = directory;
    Path home = directory.resolve("sound");
    Plate.write(home);
    Shell.good(Plate.train(home, "--json"));
    Shell.good("train", home, "--system", "kriging", "--out", home.resolve("prior"), "--json");
    Problem plate = Plate.problem();
    Plate.data(plate, 3, 300).write(home.resolve("data.npz"));
    seed("model.safetensors", home.resolve("run/best.safetensors"), Model::load);
    seed("prior.safetensors", home.resolve("prior/best.safetensors"), Model::load);
    seed("checkpoint.safetensors", home.resolve("run/last.safetensors"), CheckedFile::describe);
    seed("data.safetensors", home.resolve("train.safetensors"), Dataset::read);
    seed("data.npz", home.resolve("data.npz"), Dataset::read);
    seed("problem.json", home.resolve("problem.json"), Problem::read);
    seed("network.json", home.resolve("net.json"), FileFuzz::network);
    seed("readings.csv", Plate.readings(home), file -> Readings.read(file, plate));
    seed("places.csv", Plate.readings(home), file -> Sensors.read(file, plate.grid()));
    seed("table.csv", home.resolve("run/train.csv"), CsvLog::read);
    for (String name : List.of("classic.nc", "four.nc", "types.h5", "five.mat", "mixed.npz")) {
      seed(name, Resources.path("/interop/" + name), FileFuzz::arrays);
    }
    seed("array.npy", Resources.path("/interop/fortran.npy"), Npy::read);
    seed("arrays.npz", home.resolve("data.npz"), FileFuzz::archive);
    seed("plate.part", half(home), this::finish);
    figures(home);
    runs(home);
    for (String name : List.of("classic.nc", "four.nc", "types.h5", "five.mat", "mixed.npz")) {
      seed("found" + suffix(name), Resources.path("/interop/" + name), FileFuzz::found);
    }
    seed("problem.npz", home.resolve("data.npz"), file -> ForeignDatasets.read(file, plate));
    seed("readings.npz", masked(home), file -> Readings.read(file, plate));
    Path model = home.resolve("run/best.safetensors");
    seed("exported.safetensors", model, this::export);
  }

  private void runs(Path home) throws IOException {
    Path run = Files.createDirectories(home.resolve("checkpoints"));
    try (TrainingLog log = new TrainingLog(run, 0)) {
      Plate.trainer(home, run, 6).listener(log).train();
    }
    seed("last.safetensors", run.resolve(Trainer.LAST), file -> resume(home, file));
    seed("train.csv", run.resolve(TrainingLog.TRAIN), this::log);
    try (Stream<Path> files = Files.list(run)) {
      Path events =
          files
              .filter(file -> file.getFileName().toString().startsWith(TensorBoardLog.PREFIX))
              .findFirst()
              .orElseThrow();
      seed("events.tfevents", events, TensorBoardLog::verify);
    }
  }

  private static Path masked(Path home) throws IOException {
    Path file = home.resolve("masked.npz");
    Tensor values = Plate.data(Plate.problem(), 1, 300).fields().select(0, 0).contiguous();
    Tensor mask = Tensor.ones(values.shape().toArray());
    Npz.write(file, Map.of("values", values, "mask", mask, "sigma", Tensor.ones(1)));
    return file;
  }

  private void seed(String name, Path file, Reader reader) {
    seeds.put(name, new Seed(name, file, reader));
  }

  private void figures(Path home) throws IOException {
    Path image = home.resolve("figure.png");
    Figure.of(FieldPanel.of("", Tensor.ones(2, 2))).png().write(image);
    Path report = home.resolve("report.html");
    HtmlReport.of("plate").text("five readings").write(report);
    seed("figure.png", image, CheckedFile::describe);
    seed("report.html", report, CheckedFile::describe);
    seed("checked.csv", home.resolve("readings.csv"), CheckedFile::describe);
  }

  private static void network(Path file) throws IOException {
    UNet.of(UNetConfig.read(file), Rng.of(1));
  }

  private static void archive(Path file) throws IOException {
    try (Npz open = Npz.read(file)) {
      open.loadAll();
    }
  }

  private static void arrays(Path file) throws IOException {
    try (ArrayFiles files = ArrayFiles.open(List.of(file))) {
      for (ArrayInfo array : files.arrays()) {
        files.load(array.name());
      }
    }
  }

  private static void found(Path file) throws IOException {
    try (ArrayFiles files = ArrayFiles.open(List.of(file))) {
      FieldFinder.find(files, FinderOptions.standard());
    }
  }

  private void export(Path file) throws IOException {
    Model.load(file).requireFlow().onnx().write(directory.resolve("case.onnx"));
  }

  // as the only checkpoint of a run
  private void resume(Path home, Path file) throws IOException {
    Path run = Files.createDirectories(directory.resolve("case.run"));
    Files.copy(file, run.resolve(Trainer.LAST), StandardCopyOption.REPLACE_EXISTING);
    Plate.trainer(home, run, 6).resume();
  }

  // A damaged log is put aside and noted; whatever it holds, the run goes on.
  private void log(Path file) throws IOException {
    Path run = Files.createDirectories(directory.resolve("case.log"));
    try (Stream<Path> earlier = Files.list(run)) {
      for (Path one : earlier.toList()) {
        Files.delete(one);
      }
    }
    Files.copy(file, run.resolve(TrainingLog.TRAIN));
    List<String> notes;
    try (TrainingLog log = new TrainingLog(run, 3)) {
      log.step(4, 1, 1);
      notes = log.notes();
    } catch (IOException | IllegalArgumentException e) {
      throw new IllegalStateException("a damaged log ends the run: " + e.getMessage(), e);
    }
    if (!notes.isEmpty()) {
      throw new FileFormatException(null, null, notes.getFirst(), null);
    }
  }

  private static Generation generation() {
    Burgers burgers = Burgers.paper().size(8, 16).substeps(4);
    return new Generation(burgers, "train", 7, 6, DataType.F32, Scaling.UNIT, Map.of());
  }

  // what a generation leaves that ends early
  private static Path half(Path home) throws IOException {
    Path file = home.resolve("made.npz");
    try {
      generation()
          .run(
              file,
              1,
              count -> {
                if (count == 4) {
                  throw new CancellationException();
                }
              });
    } catch (CancellationException e) {
      Path half = Files.copy(Generation.partOf(file), home.resolve("half.part"));
      generation().run(file, 1, _ -> {});
      return half;
    }
    throw new IllegalStateException("the generation did not end early");
  }

  private void finish(Path part) throws IOException {
    Path file = directory.resolve("case.npz");
    Path left = Generation.partOf(file);
    Files.copy(part, left, StandardCopyOption.REPLACE_EXISTING);
    try {
      generation().run(file, 1, _ -> {});
    } finally {
      Files.deleteIfExists(left);
    }
    if (Files.mismatch(directory.resolve("sound/made.npz"), file) >= 0) {
      throw new IllegalStateException("finished with other numbers");
    }
  }

  /**
   * Reads so many files.
   *
   * @param first number of the first case; each number is a case of its own
   * @return how many were refused
   * @throws AssertionError naming the case whose answer is not one
   */
  int run(long first, long cases) throws IOException {
    int refused = 0;
    for (long number = first; number < first + cases; number++) {
      Forgery forgery = new Forgery(number);
      Seed seed = forgery.any(List.copyOf(seeds.values()));
      Path file = directory.resolve("case" + suffix(seed.name));
      forgery.write(seed.file, suffix(seed.name).substring(1), file);
      // perflow check reads every second one
      Reader reader = number % 2 == 0 ? seed.reader : CheckedFile::describe;
      if (refuses(reader, file, "case %d of %s".formatted(number, seed.name))) {
        refused++;
      }
    }
    return refused;
  }

  /**
   * Reads a file that was kept.
   *
   * @param file named as the sound one it was made of, behind a number: {@code 7-readings.csv}
   * @return whether its reader refused it; {@code perflow check} may, or may not
   */
  boolean refuses(Path file) throws IOException {
    String name = file.getFileName().toString();
    Path copy = directory.resolve("case" + suffix(name));
    Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
    refuses(CheckedFile::describe, copy, name);
    return refuses(seeds.get(name.substring(name.indexOf('-') + 1)).reader, copy, name);
  }

  private static String suffix(String name) {
    return name.substring(name.lastIndexOf('.'));
  }

  private boolean refuses(Reader reader, Path file, String which) {
    // not the clock on the wall, which goes on while others have the machine
    long start = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    boolean refused = false;
    try {
      reader.read(file);
    } catch (IOException | IllegalArgumentException e) {
      refused = true;
      check(which, e);
    } catch (RuntimeException | Error e) {
      throw new AssertionError(which + " ended with " + e, e);
    }
    double seconds = (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - start) * 1e-9;
    if (seconds > MOST_SECONDS) {
      throw new AssertionError("%s took %.0f s".formatted(which, seconds));
    }
    return refused;
  }

  private void check(String which, Exception e) {
    String text = e.getMessage();
    // the directory's name is the test's
    String said = text == null ? null : text.replace(directory.toString(), "");
    boolean named = said != null && said.contains("case.");
    if (!named || said.length() > LONGEST || RAW.matcher(said).find()) {
      throw new AssertionError("%s said '%s'".formatted(which, text), e);
    }
  }

  /**
   * Reads many files, for as long as one has time, and keeps those whose answers are none.
   *
   * @param args the number of cases, that of the first, and where to keep files
   */
  public static void main(String[] args) throws IOException {
    long cases = Long.parseLong(args[0]);
    long first = Long.parseLong(args[1]);
    Path kept = Files.createDirectories(Path.of(args[2]));
    Path directory = Files.createTempDirectory("fuzz");
    FileFuzz fuzz = new FileFuzz(directory);
    long refused = 0;
    int failures = 0;
    for (long done = 1; done <= cases && failures < MOST_FAILURES; done++) {
      long number = first + done - 1;
      try {
        refused += fuzz.run(number, 1);
      } catch (AssertionError e) {
        failures++;
        Seed seed = new Forgery(number).any(List.copyOf(fuzz.seeds.values()));
        Path file = kept.resolve(number + "-" + seed.name);
        Files.copy(
            directory.resolve("case" + suffix(seed.name)),
            file,
            StandardCopyOption.REPLACE_EXISTING);
        System.out.printf("%s; kept in %s%n", e.getMessage(), file);
      }
      if (done % 10_000 == 0 || done == cases) {
        System.out.printf("%d cases, %d refused, %d failures%n", done, refused, failures);
      }
    }
    System.exit(failures == 0 ? 0 : 1);
  }
}
