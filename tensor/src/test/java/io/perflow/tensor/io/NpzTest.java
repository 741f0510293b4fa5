package io.perflow.tensor.io;

import static io.perflow.tensor.io.Samples.assertSame;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NpzTest {
  @TempDir Path directory;

  private static void fails(Executable call, String... parts) {
    var e = assertThrows(FileFormatException.class, call);
    for (String part : parts) {
      assertTrue(e.getMessage().contains(part), e.getMessage());
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void arraysOneByOneAndInPieces(boolean compressed) throws IOException {
    Path file = directory.resolve("x.npz");
    Tensor x = Samples.random(new Random(4), DataType.F64, 4, 3);
    try (Npz.Writer archive = compressed ? Npz.compressedWriter(file) : Npz.writer(file)) {
      archive.add("first", x);
      try (ArrayWriter rows = archive.begin("rows", DataType.F64, x.shape())) {
        for (int i = 0; i < 4; i++) {
          rows.append(x.select(0, i));
        }
        rows.commit();
      }
      archive.add("last", x.transpose());
      assertThrows(IllegalArgumentException.class, () -> archive.add("rows", x));
      assertThrows(IllegalArgumentException.class, () -> archive.add("", x));
      assertFalse(Files.exists(file));
      archive.commit();
    }
    try (Npz back = Npz.read(file)) {
      assertEquals(List.of("first", "rows", "last"), List.copyOf(back.names()));
      assertSame(x, back.load("first"));
      assertSame(x, back.load("rows"));
      assertSame(x.transpose(), back.load("last"));
    }
  }

  @Test
  void anUnfinishedArrayLeavesNoArchive() throws IOException {
    Path file = directory.resolve("x.npz");
    try (Npz.Writer archive = Npz.writer(file)) {
      try (ArrayWriter rows = archive.begin("rows", DataType.F32, Shape.of(2, 3))) {
        rows.append(new float[3]);
      }
      assertThrows(IllegalStateException.class, archive::commit);
      assertThrows(IllegalStateException.class, () -> archive.add("more", Tensor.zeros(2)));
    }
    assertEquals(0, Files.list(directory).count());
  }

  @Test
  void theSameArraysGiveTheSameBytes() throws IOException {
    Tensor x = Samples.random(new Random(5), DataType.F32, 3, 3);
    for (String name : List.of("a", "b")) {
      Npz.writeCompressed(directory.resolve(name), Map.of("x", x));
    }
    assertArrayEquals(
        Files.readAllBytes(directory.resolve("a")), Files.readAllBytes(directory.resolve("b")));
  }

  @Test
  void aMissingNameListsTheOthers() throws IOException {
    try (Npz file = Npz.read(Samples.fixture(directory, "stored.npz"))) {
      fails(() -> file.load("velocity"), "stored.npz: has no array 'velocity', only 'f2, f4");
    }
  }

  @Test
  void somethingElseIsNoArchive() throws IOException {
    fails(() -> Npz.read(Samples.fixture(directory, "scalar.npy")), "not a sound zip archive");
    Path empty = Files.createFile(directory.resolve("empty.npz"));
    fails(() -> Npz.read(empty), "not a sound zip archive");
  }

  @Test
  void otherEntriesArePassedOver() throws IOException {
    Path file = zip("readme.txt", "hello".getBytes(StandardCharsets.UTF_8), true);
    try (Npz npz = Npz.read(file)) {
      assertTrue(npz.names().isEmpty());
    }
  }

  // ---- hostile archives

  /** A header that promises 4 GB over an entry of a few bytes. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aShapeBeyondItsEntry(boolean deflated) throws IOException {
    NpyHeader header = Npy.header(ElementType.F32, Shape.of(1 << 15, 1 << 15));
    Path file = zip("x.npy", header.encode(1), deflated);
    try (Npz npz = Npz.read(file)) {
      fails(() -> npz.load("x"), "entry 'x'", "needs 4294967296 bytes of data, there are 0");
    }
  }

  /** Header and directory agree on 4 GB, which the compressed bytes cannot hold. */
  @Test
  void aSizeBeyondWhatDeflateCanDo() throws IOException {
    NpyHeader header = Npy.header(ElementType.F32, Shape.of(1 << 14, 1 << 15));
    Path file = zip("x.npy", header.encode(1), true);
    patchDirectory(file, 24, totalBytes(header));
    fails(() -> Npz.read(file), "entry 'x.npy'", "claims 2147483776 bytes", "cannot hold");
  }

  /** Deflated zeros do reach a ratio of 1000: not everything small is a bomb. */
  @Test
  void zerosMayExpandAThousandfold() throws IOException {
    Path file = directory.resolve("zeros.npz");
    Npz.writeCompressed(file, Map.of("zeros", Tensor.zeros(1000, 1000)));
    assertTrue(Files.size(file) < 30_000);
    try (Npz npz = Npz.read(file)) {
      assertEquals(Shape.of(1000, 1000), npz.load("zeros").shape());
    }
  }

  @Test
  void aDirectoryThatUnderstates() throws IOException {
    NpyHeader header = Npy.header(ElementType.F32, Shape.of(8));
    byte[] array = Arrays.copyOf(header.encode(1), totalBytes(header) + 4);
    Path file = zip("x.npy", array, true);
    patchDirectory(file, 24, totalBytes(header));
    try (Npz npz = Npz.read(file)) {
      fails(() -> npz.load("x"), "entry 'x'");
    }
  }

  @Test
  void aFlippedBitFailsTheChecksum() throws IOException {
    Path file = directory.resolve("x.npz");
    Npz.write(file, Map.of("x", Tensor.ones(100)));
    byte[] bytes = Files.readAllBytes(file);
    bytes[250] ^= 1; // in the data
    Files.write(file, bytes);
    try (Npz npz = Npz.read(file)) {
      fails(() -> npz.load("x"), "entry 'x': damaged: checksum");
    }
  }

  @Test
  void entriesThatShareTheirBytes() throws IOException {
    Path file = directory.resolve("x.npz");
    Tensor noise = Samples.random(new Random(6), DataType.F32, 1000);
    Npz.write(file, Map.of("x", noise, "y", noise));
    byte[] bytes = Files.readAllBytes(file);
    ByteBuffer zip = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int end = bytes.length - 22;
    int directoryStart = zip.getInt(end + 16);
    // Cut the second entry's bytes out; both directory entries now point at the first.
    int first = zip.getInt(directoryStart + 42);
    int entryBytes = directoryStart / 2;
    zip.putInt(end + 16, entryBytes);
    int second = directoryStart + 46 + zip.getShort(directoryStart + 28);
    zip.putInt(second + 42, first);
    byte[] cut = new byte[bytes.length - entryBytes];
    System.arraycopy(bytes, 0, cut, 0, entryBytes);
    System.arraycopy(bytes, directoryStart, cut, entryBytes, bytes.length - directoryStart);
    Files.write(file, cut);
    fails(() -> Npz.read(file), "overlap");
  }

  private static int totalBytes(NpyHeader header) {
    return header.encode(1).length + header.extents().size() * header.type().bytes();
  }

  private Path zip(String name, byte[] contents, boolean deflated) throws IOException {
    Path file = directory.resolve("x.npz");
    try (OutputStream out = Files.newOutputStream(file);
        ZipOutputStream zip = new ZipOutputStream(out)) {
      ZipEntry entry = new ZipEntry(name);
      if (!deflated) {
        var checksum = new java.util.zip.CRC32();
        checksum.update(contents);
        entry.setMethod(ZipEntry.STORED);
        entry.setSize(contents.length);
        entry.setCrc(checksum.getValue());
      }
      zip.putNextEntry(entry);
      zip.write(contents);
      zip.closeEntry();
    }
    return file;
  }

  /** Changes a number in the only entry of the central directory. */
  private static void patchDirectory(Path file, int field, int value) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    ByteBuffer zip = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int start = zip.getInt(bytes.length - 22 + 16);
    zip.putInt(start + field, value);
    Files.write(file, bytes);
  }

  @Test
  void textsLieBesideTheArrays() throws IOException {
    Path file = directory.resolve("notes.npz");
    Tensor x = Samples.random(new Random(4), DataType.F32, 2);
    try (Npz.Writer archive = Npz.writer(file)) {
      archive.addText("notes.json", "{\"ν\": 1}");
      archive.add("x", x);
      assertThrows(IllegalArgumentException.class, () -> archive.addText("notes.json", ""));
      assertThrows(IllegalArgumentException.class, () -> archive.addText("x.npy", ""));
      archive.commit();
    }
    try (Npz archive = Npz.read(file)) {
      assertEquals("{\"ν\": 1}", archive.text("notes.json").orElseThrow());
      assertTrue(archive.text("other.json").isEmpty());
      assertEquals(List.of("x"), List.copyOf(archive.names()));
      assertSame(x, archive.load("x"));
    }
  }

  @Test
  void aTextIsUtf8AndSound() throws IOException {
    Path file = directory.resolve("text.npz");
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file))) {
      zip.setLevel(0);
      zip.putNextEntry(new ZipEntry("latin.txt"));
      zip.write(new byte[] {'c', 'a', 'f', (byte) 0xe9});
      zip.closeEntry();
      zip.putNextEntry(new ZipEntry("sound.txt"));
      zip.write("sound text".getBytes(StandardCharsets.UTF_8));
      zip.closeEntry();
    }
    byte[] bytes = Files.readAllBytes(file);
    int at = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("sound text");
    bytes[at] = 'S';
    Files.write(file, bytes);
    try (Npz archive = Npz.read(file)) {
      fails(() -> archive.text("latin.txt"), "latin.txt", "UTF-8");
      fails(() -> archive.text("sound.txt"), "sound.txt", "damaged");
    }
  }
}
