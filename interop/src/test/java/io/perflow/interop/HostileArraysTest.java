package io.perflow.interop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.fixtures.Resources;
import io.perflow.tensor.io.FileFormatException;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Damaged and forged files give one kind of error, in one line, soon. */
class HostileArraysTest {
  private static final int MUTANTS = 200;

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "classic.nc",
        "offset64.nc",
        "odd.nc",
        "data64.nc",
        "four.nc",
        "types.h5",
        "five.mat",
        "fortran.npy",
        "mixed.npz"
      })
  @Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void mutantsAreReadOrRefused(String name) throws IOException {
    byte[] sound = Files.readAllBytes(Resources.path("/interop/" + name));
    Path file = directory.resolve(name);
    Random random = new Random(7);
    int refused = 0;
    for (int i = 0; i < MUTANTS; i++) {
      Files.write(file, mutant(sound, i, random));
      try (ArrayFiles files = ArrayFiles.open(List.of(file))) {
        for (ArrayInfo array : files.arrays()) {
          files.load(array.name());
          if (array.rank() > 0) {
            files.load(array.name(), array.shape().getFirst() - 1, 1);
          }
        }
      } catch (FileFormatException e) {
        assertEquals(1, e.getMessage().lines().count(), e.getMessage());
        assertTrue(e.getMessage().contains(name), e.getMessage());
        refused++;
      }
    }
    assertTrue(refused >= 50, "only " + refused + " of " + MUTANTS + " were refused");
  }

  // Cut short, a bit flipped, a word made huge, or bytes from elsewhere; the magic number is kept.
  private static byte[] mutant(byte[] sound, int kind, Random random) {
    byte[] bytes = sound.clone();
    int at = 8 + random.nextInt(sound.length - 16);
    switch (kind % 4) {
      case 0 -> {
        return Arrays.copyOf(sound, at);
      }
      case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
      case 2 -> ByteBuffer.wrap(bytes).putInt(at, random.nextBoolean() ? 0x7fffffff : -1);
      default -> {
        int from = random.nextInt(sound.length - 8);
        System.arraycopy(sound, from, bytes, at, 1 + random.nextInt(8));
      }
    }
    return bytes;
  }

  // ---- classic NetCDF, byte by byte

  private interface Writing {
    void to(DataOutputStream out) throws IOException;
  }

  private Path file(Writing content) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    content.to(new DataOutputStream(bytes));
    return Files.write(directory.resolve("x.nc"), bytes.toByteArray());
  }

  private static void name(DataOutputStream out, String name) throws IOException {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    out.writeInt(bytes.length);
    out.write(Arrays.copyOf(bytes, (bytes.length + 3) / 4 * 4));
  }

  /** One variable u of one dimension x, and its numbers as they are given. */
  private static Writing vector(int length, int type, int records, int begin, byte... data) {
    return out -> {
      out.writeBytes("CDF\u0001");
      out.writeInt(records);
      out.writeInt(10);
      out.writeInt(1);
      name(out, "x");
      out.writeInt(length);
      out.writeLong(0); // no attributes of the file
      out.writeInt(11);
      out.writeInt(1);
      name(out, "u");
      out.writeInt(1);
      out.writeInt(0);
      out.writeLong(0); // no attributes
      out.writeInt(type);
      out.writeInt(0); // the size, which nobody needs
      out.writeInt(begin);
      out.write(data);
    };
  }

  private static final int HEADER = 80;

  private void refused(Writing content, String... parts) throws IOException {
    Path file = file(content);
    var e = assertThrows(FileFormatException.class, () -> ArrayFiles.open(List.of(file)));
    for (String part : parts) {
      assertTrue(e.getMessage().contains(part), e.getMessage());
    }
  }

  @Test
  void forgedSizesAreRefusedBeforeMemoryIsTaken() throws IOException {
    byte[] data = {0, 1, 0, 2, 0, 3};
    Path sound = file(vector(3, 3, 0, HEADER, data));
    try (ArrayFiles files = ArrayFiles.open(List.of(sound))) {
      assertArrayEquals(new float[] {1, 2, 3}, files.load("u").toFloats());
    }
    refused(vector(4, 3, 0, HEADER, data), "x.nc", "entry 'u'", "SHORT [4]", "86 bytes");
    refused(vector(Integer.MAX_VALUE, 3, 0, HEADER, data), "[2147483647]");
    refused(vector(-1, 3, 0, HEADER, data), "dimension x has length -1");
    refused(vector(3, 3, 0, -2, data), "from byte 4294967294");
    refused(vector(3, 99, 0, HEADER, data), "unknown type 99");
    refused(vector(0, 3, 4, HEADER, data), "[4]");
    refused(vector(0, 3, -2, HEADER, data), "-2 records");
  }

  @Test
  void recordsThatWereLeftOpenAreCounted() throws IOException {
    byte[] data = {0, 1, 0, 2, 0, 3};
    try (ArrayFiles files = ArrayFiles.open(List.of(file(vector(0, 3, -1, HEADER, data))))) {
      assertArrayEquals(new float[] {1, 2, 3}, files.load("u").toFloats());
    }
    try (ArrayFiles files = ArrayFiles.open(List.of(file(vector(0, 3, 0, HEADER))))) {
      assertTrue(files.skipped().getFirst().reason().contains("no numbers"));
    }
  }

  @Test
  void sizesOf64Bits() throws IOException {
    Path file =
        file(
            out -> {
              out.writeBytes("CDF\u0005");
              out.writeLong(0);
              out.writeInt(10);
              out.writeLong(1);
              out.writeLong(1);
              out.writeBytes("x\0\0\0");
              out.writeLong(2);
              out.writeInt(0);
              out.writeLong(0);
              out.writeInt(11);
              out.writeLong(1);
              out.writeLong(1);
              out.writeBytes("u\0\0\0");
              out.writeLong(1);
              out.writeLong(0);
              out.writeInt(0);
              out.writeLong(0);
              out.writeInt(11);
              out.writeLong(16);
              out.writeLong(out.size() + 8);
              out.writeLong(5);
              out.writeLong(-1);
            });
    try (ArrayFiles files = ArrayFiles.open(List.of(file))) {
      assertArrayEquals(new double[] {5, 0x1p64}, files.load("u").toDoubles());
    }
  }
}
