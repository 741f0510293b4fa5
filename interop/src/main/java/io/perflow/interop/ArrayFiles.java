package io.perflow.interop;

import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A reader of arrays of numbers from files of several formats: npy, npz, HDF5 (in all groups),
 * NetCDF (3 and 4) and MATLAB (5 and 7.3). The format of a file is recognized by its content, not
 * by its name.
 *
 * <pre>{@code
 * try (ArrayFiles files = ArrayFiles.open(List.of(Path.of("runs")))) {
 *   for (ArrayInfo array : files.arrays()) {
 *     System.out.println(array);            // T [200, 64, 64] F32 in K
 *   }
 *   Tensor some = files.load("T", 0, 10);   // the first ten samples
 * }
 * }</pre>
 *
 * <p>Arrays with the same name in several files are joined along samples, the files in the natural
 * order of their names (2 before 10), as {@link Stacking} describes. Arrays of coordinates that are
 * the same in all files are kept once. The array of an npy file is named after the file; if the
 * names of several files differ only in a number at the end, the array has the name without that
 * number.
 *
 * <p>Missing numbers, which NetCDF marks by fill values, are NaN; packed numbers are unpacked.
 * Files are opened when they are needed and must not change meanwhile. Use it from one thread only.
 */
public final class ArrayFiles implements AutoCloseable {
  /** The number of elements that are read at once to count missing ones. */
  private static final int PART = 1 << 22;

  private static final Pattern NUMBER = Pattern.compile("[-_. ]*\\d+$");

  private final List<Path> files;
  private final Map<String, Stack> arrays = new LinkedHashMap<>();
  private final List<SkippedArray> skipped = new ArrayList<>();
  private final Map<Path, String> npyNames = new HashMap<>(); // of files of one array
  private ForeignArrays opened; // the file that was read last
  private Path openedPath;

  private ArrayFiles(List<Path> files) {
    this.files = files;
  }

  /** Opens files, or all files of directories, with {@link Stacking#GUESS}. */
  public static ArrayFiles open(Collection<Path> paths) throws IOException {
    return open(paths, Stacking.GUESS);
  }

  /**
   * Opens files, or all files of directories, and describes what they hold. In a directory, files
   * of other kinds are skipped.
   *
   * @throws FileFormatException when a file is damaged or of an unknown kind, when there is no
   *     file, or when arrays with the same name do not fit together
   */
  public static ArrayFiles open(Collection<Path> paths, Stacking stacking) throws IOException {
    List<SkippedArray> foreign = new ArrayList<>();
    Set<Path> files = new LinkedHashSet<>();
    for (Path path : paths) {
      files.addAll(Files.isDirectory(path) ? inside(path, foreign) : List.of(path));
    }
    if (files.isEmpty()) {
      throw new FileFormatException(
          paths.toString(), null, "holds no file of the kinds " + ForeignArrays.KINDS);
    }
    ArrayFiles all = new ArrayFiles(files.stream().sorted(new NaturalOrder()).toList());
    try {
      all.skipped.addAll(foreign);
      all.describe(stacking);
      return all;
    } catch (IOException | RuntimeException e) {
      all.close();
      throw e;
    }
  }

  private static List<Path> inside(Path directory, List<SkippedArray> foreign) throws IOException {
    List<Path> known = new ArrayList<>();
    try (Stream<Path> entries = Files.list(directory)) {
      for (Path file : entries.sorted(new NaturalOrder()).toList()) {
        String name = file.getFileName().toString();
        if (name.startsWith(".")) {
          continue;
        }
        if (Files.isRegularFile(file) && ForeignArrays.isKnown(file)) {
          known.add(file);
        } else {
          String reason =
              Files.isDirectory(file)
                  ? "is a directory within a directory; name it explicitly"
                  : ForeignArrays.UNKNOWN;
          foreign.add(new SkippedArray(file, name, reason));
        }
      }
    }
    return known;
  }

  private void describe(Stacking stacking) throws IOException {
    List<FileGroup.Described> described = new ArrayList<>();
    for (Path file : files) {
      ForeignArrays content = opened(file);
      skipped.addAll(content.contents().skipped());
      Map<String, ArrayInfo> named = new LinkedHashMap<>();
      Candidates.addTo(content).forEach(array -> named.put(array.name(), array));
      if (content instanceof NpyArrays) {
        named.keySet().stream().findFirst().ifPresent(name -> npyNames.put(file, name));
      }
      described.add(new FileGroup.Described(file, named));
    }
    Map<String, Integer> stems = new HashMap<>();
    npyNames.forEach((file, name) -> stems.merge(stem(file, name), 1, Integer::sum));
    List<FileGroup.Described> renamed =
        described.stream().map(file -> renamed(file, stems)).toList();
    for (List<FileGroup.Described> group : FileGroup.split(renamed)) {
      for (Stack stack : FileGroup.stack(group, stacking, skipped)) {
        arrays.put(stack.info().name(), stack);
      }
    }
  }

  // u_1.npy and u_2.npy are two parts of u.
  private FileGroup.Described renamed(FileGroup.Described described, Map<String, Integer> stems) {
    String name = npyNames.get(described.file());
    if (name == null) {
      return described;
    }
    String stem = stem(described.file(), name);
    return stems.get(stem) < 2
        ? described
        : new FileGroup.Described(
            described.file(), Map.of(stem, described.arrays().get(name).name(stem)));
  }

  private static String stem(Path file, String name) {
    String stem = NUMBER.matcher(name).replaceFirst("");
    Path directory = file.toAbsolutePath().getParent().getFileName();
    return !stem.isEmpty() || directory == null ? stem : directory.toString(); // runs/1.npy
  }

  /** Returns the files that are read, in the order in which their samples follow each other. */
  public List<Path> files() {
    return files;
  }

  /** Returns descriptions of the arrays, in the order of the files. */
  public List<ArrayInfo> arrays() {
    return arrays.values().stream().map(Stack::info).toList();
  }

  /** Returns the description of one array, by its name or path. */
  public Optional<ArrayInfo> array(String name) {
    return Optional.ofNullable(arrays.get(plain(name))).map(Stack::info);
  }

  /** Returns the arrays that are not read, with the reason. */
  public List<SkippedArray> skipped() {
    return List.copyOf(skipped);
  }

  /**
   * Loads an array.
   *
   * @throws FileFormatException when there is none of this name, when it is damaged, or when it has
   *     more numbers than a tensor or the memory can hold
   */
  public Tensor load(String name) throws IOException {
    return stack(name).load(this::read);
  }

  /**
   * Loads some entries of an array along its first axis.
   *
   * @throws FileFormatException as {@link #load(String)} does
   * @throws IllegalArgumentException when the array has no axis, or not these entries
   */
  public Tensor load(String name, int firstSample, int count) throws IOException {
    Stack stack = stack(name);
    List<Integer> shape = stack.info().shape();
    if (shape.isEmpty() || firstSample < 0 || count < 1 || count > shape.getFirst() - firstSample) {
      throw new IllegalArgumentException(
          "%d entries from %d on are not in array %s of shape %s"
              .formatted(count, firstSample, name, shape));
    }
    return stack.load(this::read, firstSample, count);
  }

  /** Counts the missing numbers (NaN) of an array, with only a part of it in memory at a time. */
  public long missing(String name) throws IOException {
    ArrayInfo info = stack(name).info();
    if (info.rank() == 0) {
      return nans(load(name));
    }
    int samples = info.dimensions().getFirst().size();
    int step = Math.clamp(PART / (info.size() / samples + 1), 1, samples);
    long missing = 0;
    for (int from = 0; from < samples; from += step) {
      missing += nans(load(name, from, Math.min(step, samples - from)));
    }
    return missing;
  }

  private static long nans(Tensor x) {
    long count = 0;
    for (double number : x.contiguous().toDoubles()) {
      count += Double.isNaN(number) ? 1 : 0;
    }
    return count;
  }

  private Stack stack(String name) throws FileFormatException {
    Stack stack = arrays.get(plain(name));
    if (stack == null) {
      List<String> known = arrays.values().stream().map(s -> s.info().toString()).toList();
      throw new FileFormatException(
          label(),
          null,
          "no array is named %s, there %s"
              .formatted(
                  name, known.isEmpty() ? "is none at all" : "are " + String.join(", ", known)));
    }
    return stack;
  }

  /** Returns the name of the files in messages. */
  String label() {
    return files.size() == 1 ? files.getFirst().toString() : files.size() + " files";
  }

  private static String plain(String name) {
    return name.startsWith("/") ? name.substring(1) : name;
  }

  private Tensor read(Path file, String name, int first, int count) throws IOException {
    return opened(file).load(npyNames.getOrDefault(file, name), first, count);
  }

  // Only one file is open at a time, because a directory may hold more files than a process may
  // open.
  private ForeignArrays opened(Path file) throws IOException {
    if (!file.equals(openedPath)) {
      close();
      opened = ForeignArrays.open(file);
      openedPath = file;
    }
    return opened;
  }

  @Override
  public void close() throws IOException {
    if (opened != null) {
      opened.close();
    }
    opened = null;
    openedPath = null;
  }
}
