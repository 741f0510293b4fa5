package io.perflow.cli;

import io.perflow.Perflow;
import io.perflow.interop.ArrayFiles;
import io.perflow.interop.FieldFinder;
import io.perflow.interop.FinderOptions;
import io.perflow.interop.Found;
import io.perflow.interop.Suggestions;
import io.perflow.physics.Axis;
import io.perflow.physics.DataResidual;
import io.perflow.physics.Dataset;
import io.perflow.physics.Moments;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.Quantity;
import io.perflow.physics.Readings;
import io.perflow.physics.Scaling;
import io.perflow.physics.Sensors;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * The command {@code init}, which makes a problem description and a data set with splits from the
 * files of another tool.
 */
@Command(
    name = "init",
    description = {
      "Make a problem description and a data set from your own files.",
      "Reads npy, npz, HDF5, NetCDF and MATLAB files, or directories of them. Where the files say"
          + " what their fields, axes, units and quantities are, the command takes it from them. It"
          + " prints what it understood and how to correct it. The samples of several files are put"
          + " together into one data set."
    })
final class InitCommand implements Callable<Integer> {
  private static final String FLOW = "divergence-free";

  static final String PROBLEM = "problem.json";
  static final String TRAIN = "train.safetensors";
  static final String VALIDATION = "val.safetensors";
  static final String TEST = "test.safetensors";
  static final String READINGS = "readings.csv";

  private static final int NAMED_FILES = 20; // in the origin of a data set; a directory has many
  private static final Pattern EXTENT = Pattern.compile("\\s*(.+?)\\s*\\.\\.\\s*(.+?)\\s*");

  @Parameters(
      arity = "1..*",
      paramLabel = "FILE",
      description = "Files with arrays of fields, or directories of such files.")
  private List<Path> files;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description = "New directory to write to. If omitted, it gets the name of the problem.")
  private Path out;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "Name of the problem. If omitted, the name of the file.")
  private String name = "";

  @Option(
      names = "--channel",
      paramLabel = "NAME=ARRAY",
      description =
          "A quantity and the array that holds it. Repeat the option for each quantity, in the"
              + " order of the channels. NAME=ARRAY:0 takes the first channel of an array that has"
              + " several.")
  private Map<String, String> channels = Map.of();

  @Option(
      names = "--dims",
      split = ",",
      paramLabel = "NAME",
      description = "Names of the dimensions of the arrays, in order, such as sample,time,y,x.")
  private List<String> dims = List.of();

  @Option(
      names = "--extent",
      paramLabel = "AXIS=FROM..TO",
      description = "Where an axis begins and ends. Replaces the coordinates in the file.")
  private Map<String, String> extents = Map.of();

  @Option(
      names = "--unit",
      paramLabel = "NAME=UNIT",
      description = "The unit of an axis or a quantity, such as T=K.")
  private Map<String, String> units = Map.of();

  @Option(
      names = "--periodic",
      split = ",",
      paramLabel = "AXIS",
      description = "Periodic axes, such as x or y,x.")
  private List<String> periodic = List.of();

  @Option(
      names = "--cells",
      split = ",",
      paramLabel = "AXIS",
      description = "Axes whose points are the centres of cells.")
  private List<String> cells = List.of();

  @Option(
      names = "--time",
      paramLabel = "AXIS",
      description = "The axis of time. If omitted, an axis named t or time.")
  private String time = "";

  @Option(
      names = "--vector",
      paramLabel = "NAMES",
      description =
          "The components of a vector, such as u,v: the first is along the first axis. They share"
              + " one scale.")
  private List<String> vectors = List.of();

  @Option(
      names = "--constrain",
      paramLabel = "TEXT",
      description =
          "A constraint that all fields obey, such as mass:T=300, dirichlet:p=0, bounds:S=0.. or"
              + " divergence-free.")
  private List<String> constraints = List.of();

  @Option(
      names = "--conserve",
      paramLabel = "QUANTITY",
      description =
          "A quantity whose mean over the grid is the same in all fields; its value is taken from"
              + " the data.")
  private List<String> conserved = List.of();

  @Option(
      names = "--symmetry",
      paramLabel = "TEXT",
      description =
          "A symmetry of the distribution of the fields, such as mirror:x, shift:x or transpose.")
  private List<String> symmetries = List.of();

  @Option(
      names = "--sensors",
      paramLabel = "N",
      description =
          "Number of sensors, such as 30, or a range, such as 10..50. If omitted, from one for"
              + " every 400 grid points to one for every 40.")
  private String sensors;

  @Option(
      names = "--lines",
      paramLabel = "AXIS",
      description =
          "Each sensor sits at one place of this axis and reads along the whole other axis.")
  private String lines;

  @Option(
      names = "--sensors-at",
      paramLabel = "FILE",
      description = "Table with the places of fixed sensors; its columns are the axes.")
  private Path places;

  @Option(
      names = "--together",
      description =
          "Every sensor reads all quantities at all times. If omitted, each reads one of them.")
  private boolean together;

  @Option(names = "--drop-missing", description = "Leave out samples that have missing values.")
  private boolean dropMissing;

  @Option(
      names = "--samples",
      paramLabel = "N",
      converter = Count.class,
      description = "Largest number of samples; the first ones are kept. If omitted, all.")
  private Integer samples;

  @Option(
      names = "--stride",
      paramLabel = "N",
      converter = Count.class,
      defaultValue = "1",
      description = "Keep every n-th row and column (${DEFAULT-VALUE}).")
  private int stride;

  @Option(
      names = "--split",
      paramLabel = "A,B,C",
      defaultValue = "80,10,10",
      description =
          "Shares of the fields for training, validation and test, drawn at random"
              + " (${DEFAULT-VALUE}).")
  private String split;

  @Option(
      names = "--type",
      paramLabel = "TYPE",
      defaultValue = "F32",
      description = "Precision of the data set: ${COMPLETION-CANDIDATES} (${DEFAULT-VALUE}).")
  private DataType type;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Seed of all random numbers (${DEFAULT-VALUE}).")
  private long seed;

  @Option(names = "--force", description = "Write into an existing directory.")
  private boolean force;

  @Mixin private JsonOption json = new JsonOption();

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    Shares shares = Shares.of(split);
    if (out != null) {
      InitFiles.checkFree(out, files, force);
    }
    Found found;
    List<Path> sources;
    try (ArrayFiles arrays = ArrayFiles.open(files)) {
      found = ordered(FieldFinder.find(arrays, options()));
      sources = arrays.files();
    }
    Path directory = out == null ? Path.of(found.problem().name()) : out;
    InitFiles.checkFree(directory, files, force);
    Problem problem = describe(found);
    Tensor fields = found.fields();
    int[] order = Rng.of(seed).split("split").permutation(fields.dim(0));
    int[] sizes = shares.sizes(fields.dim(0));
    InitFiles result = parts(problem, fields.gather(0, order), sizes, origin(found, sources));
    Dataset whole = Dataset.of(problem, fields, result.train().normalization(), Map.of());
    List<DataResidual> residuals = whole.residuals();
    InitReport report =
        new InitReport(
            sources,
            result,
            Moments.of(fields),
            residuals,
            found.notes(),
            Suggestions.of(problem, fields),
            directory);
    report.printTable(spec.commandLine().getOut());
    refuseBroken(residuals, problem);
    result.write(directory);
    report.printNext(spec.commandLine().getOut());
    json.write(report.toJson());
    return 0;
  }

  private FinderOptions options() {
    FinderOptions options =
        FinderOptions.standard()
            .name(name)
            .channels(channels)
            .dims(dims.stream().map(String::strip).toArray(String[]::new))
            .periodic(stripped(periodic))
            .cells(stripped(cells))
            .time(time)
            .dropMissing(dropMissing)
            .samples(samples == null ? Integer.MAX_VALUE : samples)
            .stride(stride)
            .type(type);
    for (Map.Entry<String, String> extent : extents.entrySet()) {
      Matcher ends = EXTENT.matcher(extent.getValue());
      try {
        ends.matches();
        options =
            options.extent(
                extent.getKey(),
                Double.parseDouble(ends.group(1)),
                Double.parseDouble(ends.group(2)));
      } catch (NumberFormatException | IllegalStateException e) { // neither a number nor two dots
        throw new IllegalArgumentException(
            "--extent %s=%s must be two numbers with two dots between, as in --extent %s=0..2.5"
                .formatted(extent.getKey(), extent.getValue(), extent.getKey()),
            e);
      }
    }
    for (Map.Entry<String, String> unit : units.entrySet()) {
      options = options.unit(unit.getKey(), unit.getValue());
    }
    return options;
  }

  private static List<String> stripped(List<String> names) {
    return names.stream().map(String::strip).toList();
  }

  private static List<String> names(String list) {
    return Arrays.stream(list.split(",")).map(String::strip).toList();
  }

  // The components of a vector are in the order in which they are named.
  private Found ordered(Found found) {
    List<String> wanted = vectors.size() == 1 ? names(vectors.getFirst()) : List.of();
    Problem problem = found.problem();
    List<String> there = problem.quantities().stream().map(Quantity::name).toList();
    if (!channels.isEmpty()
        || wanted.equals(there)
        || wanted.size() != there.size()
        || !there.containsAll(wanted)) {
      return found;
    }
    Problem.Builder builder =
        Problem.named(problem.name()).axis(problem.grid().rows()).axis(problem.grid().columns());
    problem.frames().ifPresent(builder::frames);
    for (String quantity : wanted) {
      builder.channel(quantity, problem.quantities().get(problem.quantity(quantity)).unit());
    }
    int[] order = problem.select(String.join(",", wanted));
    return new Found(
        builder.build(), found.fields().gather(1, order), found.arrays(), found.notes());
  }

  private void refuseBroken(List<DataResidual> residuals, Problem problem) {
    try {
      DataResidual.refuseBroken(residuals);
    } catch (IllegalArgumentException e) {
      if (!constraints.contains(FLOW) || problem.quantities().size() != 2) {
        throw e;
      }
      throw new IllegalArgumentException(
          ("%s; divergence-free takes %s along %s and %s along %s: if it is the other way round,"
                  + " use --vector %s,%s")
              .formatted(
                  e.getMessage(),
                  problem.quantities().getFirst().name(),
                  problem.grid().rows().name(),
                  problem.quantities().getLast().name(),
                  problem.grid().columns().name(),
                  problem.quantities().getLast().name(),
                  problem.quantities().getFirst().name()),
          e);
    }
  }

  private Problem describe(Found found) throws IOException {
    Problem.Builder builder = found.problem().toBuilder();
    for (String vector : vectors) {
      builder.vector(names(vector).toArray(String[]::new));
    }
    List<Quantity> quantities = found.problem().quantities();
    if (vectors.isEmpty() && constraints.contains(FLOW) && quantities.size() == 2) {
      builder.vector(quantities.getFirst().name(), quantities.getLast().name());
    }
    Problem plain =
        builder.symmetries(symmetries.toArray(String[]::new)).sensors(law(found.problem())).build();
    Problem.Builder constrained = plain.toBuilder();
    constraints.forEach(constrained::constrain);
    for (String quantity : conserved) {
      constrained.constrain(Suggestions.conserved(plain, found.fields(), quantity));
    }
    return constrained.build();
  }

  private Sensors law(Problem problem) throws IOException {
    Sensors law;
    if (places != null) {
      if (sensors != null || lines != null) {
        throw new IllegalArgumentException(
            "--sensors-at %s says where the sensors are; leave --sensors and --lines out"
                .formatted(places));
      }
      law = Sensors.read(places, problem.grid());
    } else if (lines != null) {
      Axis axis = problem.grid().axis(lines);
      int most = Math.min(axis.points(), Math.max(2, axis.points() / 8));
      law = Sensors.lines(lines, Math.max(1, axis.points() / 32), most);
    } else {
      int points = problem.grid().cells();
      int most = Math.min(points, Math.max(4, points / 40));
      law = Sensors.points(Math.max(1, points / 400), most);
    }
    Sensors counted = SensorCount.of(sensors, law);
    return together ? counted.sharing(Sensors.Sharing.SHARED) : counted;
  }

  private Map<String, Object> origin(Found found, List<Path> sources) {
    Map<String, Object> origin = new LinkedHashMap<>();
    origin.put("source", sources.stream().limit(NAMED_FILES).map(Path::toString).toList());
    origin.put("files", sources.size());
    origin.put("arrays", found.arrays());
    origin.put("seed", seed);
    origin.put("stride", stride);
    origin.put("writer", "perflow " + Perflow.version());
    return origin;
  }

  // All parts have the units of the training part, and the readings of one test field serve as an
  // example.
  private InitFiles parts(
      Problem problem, Tensor shuffled, int[] sizes, Map<String, Object> origin) {
    Tensor[] parts = shuffled.split(0, sizes);
    Normalization fitted = Scaling.UNIT.fit(problem, Moments.of(parts[0]));
    Tensor planes = problem.masks().draw(Rng.of(seed).split("readings"), 1);
    Tensor first = parts[2].slice(0, 0, 1).contiguous();
    return new InitFiles(
        part(problem, parts[0], fitted, origin, "train"),
        part(problem, parts[1], fitted, origin, "val"),
        part(problem, parts[2], fitted, origin, "test"),
        Readings.observe(problem, first, planes));
  }

  private static Dataset part(
      Problem problem,
      Tensor fields,
      Normalization fitted,
      Map<String, Object> origin,
      String name) {
    Map<String, Object> own = new LinkedHashMap<>(Map.of("split", name));
    own.putAll(origin);
    return Dataset.of(problem, fields.contiguous(), fitted, own);
  }
}
