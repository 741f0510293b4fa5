package io.perflow.tensor.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.tensor.Tensor;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AtomicFileTest {
  private static final byte[] OLD = "old".getBytes(StandardCharsets.UTF_8);
  private static final byte[] NEW = "new contents".getBytes(StandardCharsets.UTF_8);

  @TempDir Path directory;
  private Path file;

  @BeforeEach
  void writeOldFile() throws IOException {
    file = Files.write(directory.resolve("file"), OLD);
  }

  /** The directory holds one file with these contents and no leftovers. */
  private void assertOnly(byte[] contents) throws IOException {
    assertArrayEquals(contents, Files.readAllBytes(file));
    try (var files = Files.list(directory)) {
      assertEquals(List.of(file), files.toList());
    }
  }

  @Test
  void appearsOnCommit() throws IOException {
    try (AtomicFile atomic = AtomicFile.create(file)) {
      atomic.stream().write(NEW);
      atomic.stream().flush();
      assertArrayEquals(OLD, Files.readAllBytes(file));
      atomic.commit();
      assertOnly(NEW);
      assertThrows(IllegalStateException.class, atomic::commit);
    }
    assertOnly(NEW);
  }

  @Test
  void isDiscardedWithoutCommit() throws IOException {
    try (AtomicFile atomic = AtomicFile.create(file)) {
      atomic.stream().write(NEW);
    }
    assertOnly(OLD);
  }

  @Test
  void anInterruptDoesNotBreakTheWriteAndStaysSet() throws IOException {
    Thread.currentThread().interrupt();
    try (AtomicFile atomic = AtomicFile.create(file)) {
      atomic.stream().write(OLD);
      atomic.stream().write(NEW, OLD.length, NEW.length - OLD.length);
      atomic.replaceStart(Arrays.copyOf(NEW, OLD.length));
      atomic.commit();
      assertTrue(Thread.interrupted());
    }
    assertOnly(NEW);
  }

  @Test
  void aFailureInTheMiddleLeavesTheOldFile() throws IOException {
    IOException failure = new IOException("stop");
    var thrown =
        assertThrows(
            IOException.class,
            () ->
                AtomicFile.write(
                    file,
                    out -> {
                      out.write(new byte[1 << 20]);
                      throw failure;
                    }));
    assertSame(failure, thrown);
    assertOnly(OLD);
  }

  @Test
  void anErrorInTheMiddleLeavesTheOldFile() throws IOException {
    assertThrows(
        OutOfMemoryError.class,
        () ->
            AtomicFile.write(
                file,
                out -> {
                  throw new OutOfMemoryError("simulated");
                }));
    assertOnly(OLD);
  }

  /** Every format, on a disk that is full after so many bytes. */
  @Test
  void aFullDiskLeavesTheOldFile() throws IOException {
    Tensor x = Tensor.zeros(300, 300);
    for (int room : new int[] {0, 5, 64, 200, 66_000, 300_000}) {
      AtomicFile.Contents npy = out -> Npy.write(new FullDisk(out, room), x);
      AtomicFile.Contents safetensors =
          out -> SafeTensors.write(new FullDisk(out, room), Map.of("x", x), Map.of(), false);
      for (AtomicFile.Contents contents : List.of(npy, safetensors)) {
        var e = assertThrows(IOException.class, () -> AtomicFile.write(file, contents));
        assertEquals("No space left on device", e.getMessage());
        assertOnly(OLD);
      }
    }
  }

  @Test
  void aFailureOfAnArchiveLeavesTheOldFile() throws IOException {
    try (Npz.Writer archive = Npz.writer(file)) {
      archive.add("x", Tensor.zeros(100));
      archive.add("y", Tensor.zeros(100));
    }
    assertOnly(OLD);
  }

  @Test
  void aMissingDirectoryIsNamed() {
    Path inside = directory.resolve("missing").resolve("file");
    var e = assertThrows(IOException.class, () -> AtomicFile.create(inside));
    assertEquals(
        "cannot write %s: the directory %s does not exist; create it first"
            .formatted(inside, inside.getParent()),
        e.getMessage());
  }

  @Test
  void aFileIsNoDirectoryAndADirectoryNoFile() throws IOException {
    var e = assertThrows(IOException.class, () -> AtomicFile.create(file.resolve("x")));
    assertTrue(e.getMessage().endsWith(file + " is not a directory"), e.getMessage());
    e = assertThrows(IOException.class, () -> AtomicFile.create(directory));
    assertTrue(e.getMessage().endsWith("it is a directory"), e.getMessage());
    assertOnly(OLD);
  }

  @Test
  void anUnwritableDirectoryIsNamed() throws IOException {
    Path locked = Files.createDirectory(directory.resolve("locked"));
    Files.setPosixFilePermissions(locked, PosixFilePermissions.fromString("r-xr-xr-x"));
    Assumptions.assumeFalse(Files.isWritable(locked), "this user may write anywhere");
    var e = assertThrows(IOException.class, () -> AtomicFile.create(locked.resolve("x")));
    assertTrue(e.getMessage().endsWith(locked + " is not writable"), e.getMessage());
  }

  @Test
  void aLinkStaysALink() throws IOException {
    Path link = Files.createSymbolicLink(directory.resolve("link"), file);
    AtomicFile.write(link, out -> out.write(NEW));
    assertTrue(Files.isSymbolicLink(link));
    Files.delete(link);
    assertOnly(NEW);
  }

  @Test
  void othersMayReadItAsTheSystemAllows() throws IOException {
    AtomicFile.write(directory.resolve("new"), out -> out.write(NEW));
    assertEquals(
        Files.getPosixFilePermissions(file),
        Files.getPosixFilePermissions(directory.resolve("new")));
  }

  /** Takes so many bytes and no more. */
  private static final class FullDisk extends FilterOutputStream {
    private int room;

    FullDisk(OutputStream out, int room) {
      super(out);
      this.room = room;
    }

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      int fits = Math.min(room, length);
      out.write(bytes, offset, fits);
      room -= fits;
      if (fits < length) {
        throw new IOException("No space left on device");
      }
    }
  }

  /** No process can have the number 2^53 - 1; this process has its own. */
  @Test
  void whatAKilledWriterLeftIsRemoved() throws IOException {
    Path dead = Files.createFile(directory.resolve("file.9007199254740991-3.tmp"));
    Path alive = directory.resolve("file.%d-99.tmp".formatted(ProcessHandle.current().pid()));
    Path other = Files.createFile(directory.resolve("other.9007199254740991-3.tmp"));
    Files.createFile(alive);
    AtomicFile.write(file, out -> out.write(NEW));
    assertTrue(Files.notExists(dead));
    assertTrue(Files.exists(alive) && Files.exists(other));
  }
}
