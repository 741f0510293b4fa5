package io.perflow.cli;

import io.perflow.fixtures.Resources;
import io.perflow.flow.log.CsvLog;
import io.perflow.interop.ArrayFiles;
import io.perflow.interop.ArrayInfo;
import io.perflow.nn.unet.UNet;
import io.perflow.nn.unet.UNetConfig;
import io.perflow.physics.Dataset;
import io.perflow.physics.Problem;
import io.perflow.physics.Readings;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.Json;
import io.perflow.tensor.io.SafeTensors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;

/**
 * Reads damaged and forged files of every format and demands that each is used or refused in one
 * line of words. Bytes are changed anywhere; besides, the notes of safetensors files and JSON files
 * are changed value by value, with checksums that fit, since a checksum would hide all else.
 */
final class FileFuzz {
  /** Longest that a file may keep its reader. */
  private static final long MOST_SECONDS = 20;

  private static final int LONGEST = 2000; // of an answer, in characters
  private static final int MOST_FAILURES = 20; // that are shown before one gives up

  /** What the JDK says about itself and not about the file. */
  private static final Pattern RAW =
      Pattern.compile(
          "For input string|integer overflow|Input length|Cannot invoke|out of bounds|: null"
              + "|class java|java\\.|\\p{Cntrl}");

  private static final List<Object> ODD =
      Arrays.asList(
          null,
          -10L,
          0L,
          16 + (1L << 32),
          Long.MAX_VALUE,
          Long.MIN_VALUE,
          1L << 30,
          -1e300,
          1e-320,
          0.5,
          "",
          "\u001b[2J",
          "x".repeat(300),
          true,
          List.of(),
          List.of(List.of(1L)),
          Map.of());

  /** What reads a file. */
  private interface Reader {
    void read(Path file) throws IOException;
  }

  /** A sound file, and what reads files like it. */
  private record Seed(Path file, Reader reader) {
    String kind() {
      String name = file.getFileName().toString();
      return name.substring(name.lastIndexOf('.') + 1);
    }
  }

  private final Path directory;
  private final List<Seed> seeds = new ArrayList<>();

  FileFuzz(Path directory) throws IOException {
    this.directory = directory;
    Path home = directory.resolve("sound");
    Plate.write(home);
    Shell.good(Plate.train(home, "--json"));
    Shell.good("train", home, "--system", "kriging", "--out", home.resolve("prior"), "--json");
    Problem plate = Plate.problem();
    Dataset data = Plate.data(plate, 3, 300);
    data.write(home.resolve("data.npz"));
    seed(home.resolve("run/best.safetensors"), Model::load);
    seed(home.resolve("prior/best.safetensors"), Model::load);
    seed(home.resolve("run/last.safetensors"), CheckedFile::describe);
    seed(home.resolve("train.safetensors"), Dataset::read);
    seed(home.resolve("data.npz"), Dataset::read);
    seed(home.resolve("problem.json"), Problem::read);
    seed(home.resolve("net.json"), file -> UNet.of(UNetConfig.read(file), Rng.of(1)));
    seed(Plate.readings(home), file -> Readings.read(file, plate));
    seed(home.resolve("run/train.csv"), CsvLog::read);
    for (String name :
        List.of("classic.nc", "four.nc", "types.h5", "five.mat", "fortran.npy", "mixed.npz")) {
      seed(Resources.path("/interop/" + name), FileFuzz::arrays);
    }
  }

  private void seed(Path file, Reader reader) {
    seeds.add(new Seed(file, reader));
  }

  private static void arrays(Path file) throws IOException {
    try (ArrayFiles files = ArrayFiles.open(List.of(file))) {
      for (ArrayInfo array : files.arrays()) {
        files.load(array.name());
      }
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
      Random random = new Random(number * 0x9e3779b97f4a7c15L);
      Seed seed = seeds.get(random.nextInt(seeds.size()));
      Path file = directory.resolve("case." + seed.kind());
      forge(seed, file, random);
      long start = System.nanoTime();
      try {
        seed.reader.read(file);
      } catch (IOException | IllegalArgumentException e) {
        refused++;
        check(number, seed, e);
      } catch (RuntimeException | Error e) {
        throw failure(number, seed, e.toString(), e);
      }
      double seconds = (System.nanoTime() - start) * 1e-9;
      if (seconds > MOST_SECONDS) {
        throw failure(number, seed, "took %.0f s".formatted(seconds), null);
      }
    }
    return refused;
  }

  private void check(long number, Seed seed, Exception e) {
    String text = e.getMessage();
    // the directory's name is the test's
    String said = text == null ? null : text.replace(directory.toString(), "");
    boolean named = said != null && said.contains("case.");
    if (!named || said.length() > LONGEST || RAW.matcher(said).find()) {
      throw failure(number, seed, "said '%s'".formatted(text), e);
    }
  }

  private AssertionError failure(long number, Seed seed, String what, Throwable cause) {
    return new AssertionError("case %d of %s %s".formatted(number, seed.file, what), cause);
  }

  private static void forge(Seed seed, Path file, Random random) throws IOException {
    boolean tensors = seed.kind().equals("safetensors");
    boolean json = seed.kind().equals("json");
    if (json && random.nextInt(4) > 0) {
      Object value = Json.read(seed.file);
      Files.writeString(file, Json.write(odd(value, random)));
    } else if (tensors && random.nextInt(4) > 0) {
      forgeNotes(seed.file, file, random);
    } else {
      Files.write(file, mutant(Files.readAllBytes(seed.file), random));
    }
  }

  // with checksums that fit
  private static void forgeNotes(Path sound, Path file, Random random) throws IOException {
    try (SafeTensors open = SafeTensors.read(sound)) {
      Map<String, Tensor> tensors = new LinkedHashMap<>(open.loadAll());
      Map<String, String> notes = new LinkedHashMap<>(open.metadata());
      if (random.nextInt(5) == 0) {
        List<String> names = new ArrayList<>(tensors.keySet());
        String name = names.get(random.nextInt(names.size()));
        switch (random.nextInt(3)) {
          case 0 -> tensors.remove(name);
          case 1 -> tensors.put(name, Tensor.zeros(random.nextInt(3), 2));
          default -> tensors.put(name, tensors.get(name).mul(Float.POSITIVE_INFINITY));
        }
      } else {
        List<String> names = new ArrayList<>(notes.keySet());
        String name = names.get(random.nextInt(names.size()));
        String text = notes.get(name);
        boolean object = text.startsWith("{");
        if (object) {
          notes.put(name, Json.write(odd(Json.parse(text), random)));
        } else if (random.nextBoolean()) {
          notes.put(name, String.valueOf(ODD.get(random.nextInt(ODD.size()))));
        } else {
          notes.remove(name);
        }
      }
      SafeTensors.write(file, tensors, notes);
    }
  }

  // The value with one of its parts replaced, left out or repeated.
  private static Object odd(Object value, Random random) {
    if (value instanceof Map<?, ?> map && !map.isEmpty() && random.nextInt(8) > 0) {
      Map<Object, Object> changed = new LinkedHashMap<>(map);
      Object key = List.copyOf(map.keySet()).get(random.nextInt(map.size()));
      if (random.nextInt(10) == 0) {
        changed.remove(key);
      } else {
        changed.put(key, odd(map.get(key), random));
      }
      return changed;
    }
    if (value instanceof List<?> list && !list.isEmpty() && random.nextInt(6) > 0) {
      List<Object> changed = new ArrayList<>(list);
      int at = random.nextInt(list.size());
      switch (random.nextInt(5)) {
        case 0 -> changed.remove(at);
        case 1 -> changed.add(list.get(at));
        default -> changed.set(at, odd(list.get(at), random));
      }
      return changed;
    }
    return ODD.get(random.nextInt(ODD.size()));
  }

  private static byte[] mutant(byte[] sound, Random random) {
    byte[] bytes = sound.clone();
    if (bytes.length == 0) {
      return bytes;
    }
    int at = random.nextInt(bytes.length);
    switch (random.nextInt(5)) {
      case 0 -> {
        return Arrays.copyOf(bytes, at);
      }
      case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
      case 2 -> Arrays.fill(bytes, at, Math.min(bytes.length, at + 8), (byte) 0xff);
      case 3 -> bytes[at] = (byte) "0123456789,;\"{}[]-+eE.\n\t \0".charAt(random.nextInt(26));
      default -> {
        int from = random.nextInt(bytes.length);
        int count = Math.min(random.nextInt(64), bytes.length - Math.max(at, from));
        System.arraycopy(sound, from, bytes, at, count);
      }
    }
    return bytes;
  }

  /**
   * Reads many files, for as long as one has time.
   *
   * @param args the number of cases, and if wanted that of the first
   */
  public static void main(String[] args) throws IOException {
    long cases = Long.parseLong(args[0]);
    long first = args.length > 1 ? Long.parseLong(args[1]) : 0;
    FileFuzz fuzz = new FileFuzz(Files.createTempDirectory("fuzz"));
    long refused = 0;
    int failures = 0;
    for (long done = 1; done <= cases && failures < MOST_FAILURES; done++) {
      try {
        refused += fuzz.run(first + done - 1, 1);
      } catch (AssertionError e) {
        failures++;
        System.out.println(e.getMessage());
      }
      if (done % 10_000 == 0 || done == cases) {
        System.out.printf("%d cases, %d refused, %d failures%n", done, refused, failures);
      }
    }
    System.exit(failures == 0 ? 0 : 1);
  }
}
