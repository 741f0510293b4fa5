package io.perflow.tensor.io;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.perflow.tensor.Tensor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Thousands of damaged files: each is read or refused with a {@link FileFormatException}, quickly
 * and without taking memory that the file cannot fill.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class HostileFilesTest {
  private static final int MUTANTS = 1000;

  /** The files are smaller than 10 KB, and deflate expands at most 1032-fold. */
  private static final long MAX_BYTES = 32L << 20;

  private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final String[] HOSTILE = {
    "-1",
    "0",
    "1",
    "7",
    "1e3",
    "2147483647",
    "2147483648",
    "4294967296",
    "4611686018427387905",
    "9223372036854775807",
    "18446744073709551616",
    "99999999999999999999999",
    "[",
    "[[[[[[",
    "]",
    "{",
    "}",
    "(",
    ")",
    ",",
    "\"",
    "'",
    "\\",
    "null",
    "True",
    "\"\"",
    "\u0000",
    "\n",
    "'<f8'",
    "\"F64\"",
    "'|O'",
    "65536, 65536",
    "0, 9223372036854775807",
    "nan",
    ":"
  };

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @TempDir Path directory;

  /** Reads everything that a file offers. */
  private interface Reader {
    void read(Path file) throws IOException;
  }

  private static void npy(Path file) throws IOException {
    Npy.read(file);
  }

  private static void npz(Path file) throws IOException {
    try (Npz npz = Npz.read(file)) {
      forAll(
          npz.names(),
          name -> {
            npz.shape(name);
            npz.load(name);
          });
    }
  }

  private static void safetensors(Path file) throws IOException {
    try (SafeTensors tensors = SafeTensors.read(file)) {
      forAll(
          tensors.names(),
          name -> {
            tensors.shape(name);
            tensors.load(name);
          });
    }
  }

  private interface Loader {
    void load(String name) throws IOException;
  }

  // A bad entry must not hide what comes after it.
  private static void forAll(Set<String> names, Loader loader) throws IOException {
    FileFormatException refused = null;
    for (String name : names) {
      try {
        loader.load(name);
      } catch (FileFormatException e) {
        refused = e;
      }
    }
    if (refused != null) {
      throw refused;
    }
  }

  @ParameterizedTest
  @CsvSource({
    "npy, c_order.npy, 128",
    "npy, big_endian_fortran.npy, 128",
    "npy, version3.npy, 128",
    "npy, complex.npy, 128",
    "npz, stored.npz, 8000",
    "npz, deflated.npz, 8000",
    "safetensors, torch.safetensors, 1400"
  })
  void mutants(String format, String fixture, int header) throws IOException {
    Reader reader =
        switch (format) {
          case "npy" -> HostileFilesTest::npy;
          case "npz" -> HostileFilesTest::npz;
          default -> HostileFilesTest::safetensors;
        };
    byte[] good = Files.readAllBytes(Samples.fixture(directory, fixture));
    run(reader, new Random(fixture.hashCode()), random -> mutate(random, good, header), fixture);
  }

  /** Sound archives whose arrays are damaged, so that the zip layer lets them through. */
  @ParameterizedTest
  @CsvSource({"c_order.npy", "complex_fortran.npy"})
  void damagedArraysInSoundArchives(String fixture) throws IOException {
    byte[] good = Files.readAllBytes(Samples.fixture(directory, fixture));
    run(
        HostileFilesTest::npz,
        new Random(1),
        random -> {
          ByteArrayOutputStream out = new ByteArrayOutputStream();
          try (ZipOutputStream zip = new ZipOutputStream(out)) {
            zip.putNextEntry(new ZipEntry("x.npy"));
            zip.write(mutate(random, good, 128));
            zip.closeEntry();
          }
          return out.toByteArray();
        },
        fixture);
  }

  /** Headers edited as text, with a length that fits again. */
  @ParameterizedTest
  @CsvSource({"npy", "safetensors"})
  void editedHeaders(String format) throws IOException {
    boolean npy = format.equals("npy");
    Path file = directory.resolve("good");
    if (npy) {
      Npy.write(file, Tensor.zeros(3, 4));
    } else {
      SafeTensors.write(
          file, Map.of("a", Tensor.zeros(3, 4), "b", Tensor.zeros(2)), Map.of("k", "v"));
    }
    byte[] good = Files.readAllBytes(file);
    int prefix = npy ? 10 : 8;
    ByteBuffer in = ByteBuffer.wrap(good).order(ByteOrder.LITTLE_ENDIAN);
    int length = npy ? in.getShort(8) : (int) in.getLong(0);
    String text = new String(good, prefix, length, StandardCharsets.ISO_8859_1);
    byte[] data = Arrays.copyOfRange(good, prefix + length, good.length);
    run(
        npy ? HostileFilesTest::npy : HostileFilesTest::safetensors,
        new Random(2),
        random -> {
          byte[] header = edit(random, text).getBytes(StandardCharsets.ISO_8859_1);
          ByteBuffer out = ByteBuffer.allocate(prefix + header.length + data.length);
          out.order(ByteOrder.LITTLE_ENDIAN).put(good, 0, prefix).put(header).put(data);
          if (npy) {
            out.putShort(8, (short) header.length);
          } else {
            out.putLong(0, header.length);
          }
          return out.array();
        },
        format);
  }

  private interface Mutator {
    byte[] mutant(Random random) throws IOException;
  }

  private void run(Reader reader, Random random, Mutator mutator, String what) throws IOException {
    Map<String, Integer> outcomes = new TreeMap<>();
    for (int i = 0; i < MUTANTS; i++) {
      byte[] mutant = mutator.mutant(random);
      // A new name each time: readers of zip archives may keep what they know of a name.
      Path file = Files.write(directory.resolve(what + i), mutant);
      long nanos = System.nanoTime();
      long bytes = THREADS.getCurrentThreadAllocatedBytes();
      String outcome = "read";
      try {
        reader.read(file);
      } catch (FileFormatException e) {
        outcome = "refused";
        assertTrue(e.getMessage().startsWith(file.toString()), e.getMessage());
        assertTrue(e.getMessage().lines().count() == 1, e.getMessage());
      } catch (Exception | OutOfMemoryError | StackOverflowError e) {
        throw new AssertionError(what + " mutant " + i, e);
      }
      bytes = THREADS.getCurrentThreadAllocatedBytes() - bytes;
      nanos = System.nanoTime() - nanos;
      assertTrue(bytes < MAX_BYTES, () -> what + " took too much memory");
      assertTrue(nanos < MAX_NANOS, () -> what + " took too long");
      outcomes.merge(outcome, 1, Integer::sum);
      Files.delete(file);
    }
    assertTrue(outcomes.getOrDefault("refused", 0) > MUTANTS / 10, what + outcomes);
  }

  /** One to three of: bits flipped, bytes replaced, cut, inserted, removed, repeated, edited. */
  private static byte[] mutate(Random random, byte[] good, int header) {
    byte[] bytes = good.clone();
    for (int left = 1 + random.nextInt(3); left > 0 && bytes.length > 1; left--) {
      // Most damage goes to the part that describes the rest.
      int range = random.nextInt(4) == 0 ? bytes.length : Math.min(header, bytes.length);
      int at = random.nextInt(range);
      int end = Math.min(bytes.length, at + 1 + random.nextInt(8));
      switch (random.nextInt(7)) {
        case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
        case 1 -> bytes[at] = (byte) (random.nextBoolean() ? 0xff : random.nextInt(256));
        case 2 -> bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length));
        case 3 -> bytes = splice(bytes, at, at, new byte[1 + random.nextInt(8)]);
        case 4 -> bytes = splice(bytes, at, end, new byte[0]);
        case 5 -> bytes = splice(bytes, at, at, Arrays.copyOfRange(bytes, at, end));
        default -> {
          String hostile = HOSTILE[random.nextInt(HOSTILE.length)];
          bytes = splice(bytes, at, end, hostile.getBytes(StandardCharsets.ISO_8859_1));
        }
      }
    }
    return bytes;
  }

  private static byte[] splice(byte[] bytes, int from, int to, byte[] middle) {
    byte[] result = new byte[bytes.length - (to - from) + middle.length];
    System.arraycopy(bytes, 0, result, 0, from);
    System.arraycopy(middle, 0, result, from, middle.length);
    System.arraycopy(bytes, to, result, from + middle.length, bytes.length - to);
    return result;
  }

  /** Replaces a number, a word or a mark, or repeats a stretch of the text. */
  private static String edit(Random random, String text) {
    StringBuilder edited = new StringBuilder(text);
    for (int left = 1 + random.nextInt(2); left > 0; left--) {
      int from = random.nextInt(edited.toString().stripTrailing().length());
      int to = from + 1;
      while (to < edited.length()
          && Character.isLetterOrDigit(edited.charAt(from))
          && Character.isLetterOrDigit(edited.charAt(to))) {
        to++;
      }
      if (random.nextInt(6) == 0) {
        int end = Math.min(edited.length(), from + random.nextInt(80));
        edited.insert(from, edited.substring(from, end));
      } else if (random.nextInt(20) == 0) {
        edited.insert(from, "[".repeat(20_000));
      } else {
        edited.replace(from, to, HOSTILE[random.nextInt(HOSTILE.length)]);
      }
    }
    return edited.toString();
  }
}
