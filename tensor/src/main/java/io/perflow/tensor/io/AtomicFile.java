package io.perflow.tensor.io;

import io.perflow.tensor.disk.Disk;
import io.perflow.tensor.disk.DiskFile;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A file that appears complete or not at all. The bytes go to a temporary file in the same
 * directory; {@link #commit} forces them to the disk and moves the file to its name in one step.
 * Until then, and after any failure, a file that had the name before is untouched.
 *
 * <pre>{@code
 * try (AtomicFile file = AtomicFile.create(path)) {
 *   file.stream().write(bytes);
 *   file.commit(); // without it, close() discards what was written
 * }
 * }</pre>
 *
 * <p>A symbolic link is followed: its target is replaced, and the link stays. Use it from one
 * thread only; an interrupt neither breaks nor delays the write.
 */
public final class AtomicFile implements Sink {
  private static final AtomicLong COUNTER = new AtomicLong();
  private static final int BUFFER = 1 << 16;
  private static final System.Logger LOGGER = System.getLogger("io.perflow.tensor");

  private final Path target;
  private final Path temporary;
  private final DiskFile file;
  private final OutputStream stream;
  private long end;
  private boolean committed;

  private AtomicFile(Path target, Path temporary, DiskFile file) {
    this.target = target;
    this.temporary = temporary;
    this.file = file;
    this.stream = new BufferedOutputStream(new Appending(), BUFFER);
  }

  private final class Appending extends OutputStream {
    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int count) throws IOException {
      file.write(end, bytes, from, count);
      end += count;
    }
  }

  /** The contents of a file. */
  @FunctionalInterface
  public interface Contents {
    /** Writes everything to the stream, which stays open. */
    void writeTo(OutputStream out) throws IOException;
  }

  /** Writes a file; afterwards it is complete, or unchanged if writing failed. */
  public static void write(Path target, Contents contents) throws IOException {
    try (AtomicFile file = create(target)) {
      contents.writeTo(file.stream());
      file.commit();
    }
  }

  /** Writes a text in UTF-8; afterwards the file is complete, or unchanged if writing failed. */
  public static void write(Path target, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    write(target, out -> out.write(bytes));
  }

  /**
   * Starts a file beside its final name.
   *
   * @throws IOException when the directory does not exist or cannot be written, or when the name is
   *     that of a directory
   */
  public static AtomicFile create(Path path) throws IOException {
    if (Files.isDirectory(path)) {
      throw new IOException("cannot write " + path + ": it is a directory");
    }
    Path target = Files.isSymbolicLink(path) && Files.exists(path) ? path.toRealPath() : path;
    removeAbandoned(target);
    while (true) {
      // Files.createTempFile is no use here, because only the owner can read its files.
      Path temporary =
          target.resolveSibling(
              "%s.%d-%d.tmp"
                  .formatted(
                      target.getFileName(),
                      ProcessHandle.current().pid(),
                      COUNTER.incrementAndGet()));
      try {
        DiskFile file = DiskFile.create(temporary, target);
        lock(file);
        return new AtomicFile(target, temporary, file);
      } catch (FileAlreadyExistsException e) {
        continue; // left behind by a killed process on another machine: try the next name
      }
    }
  }

  // A process that was killed leaves its temporary file behind. It is removed when no process here
  // has the number in its name and none elsewhere holds its lock.
  private static void removeAbandoned(Path target) {
    Path directory = target.toAbsolutePath().getParent();
    Pattern name =
        Pattern.compile(
            Pattern.quote(target.getFileName().toString()) + "\\.(\\d{1,18})-\\d+\\.tmp");
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        Matcher parts = name.matcher(file.getFileName().toString());
        if (parts.matches() && ProcessHandle.of(Long.parseLong(parts.group(1))).isEmpty()) {
          removeUnlocked(file);
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      LOGGER.log(System.Logger.Level.DEBUG, () -> "temporary files not looked for: " + e);
    }
  }

  private static void removeUnlocked(Path file) throws IOException {
    try (FileChannel left = FileChannel.open(file, StandardOpenOption.WRITE);
        FileLock lock = left.tryLock()) {
      if (lock != null) {
        Disk.current().delete(file);
      }
    }
  }

  // Some file systems have no locks; there, only the process number in the name protects the file.
  private static void lock(DiskFile file) {
    try {
      file.lock();
    } catch (IOException e) {
      LOGGER.log(System.Logger.Level.DEBUG, () -> "temporary file not locked: " + e);
    }
  }

  /**
   * Returns the stream for the contents, which is buffered; {@link #commit} or {@link #close}
   * closes it.
   */
  @Override
  public OutputStream stream() {
    return stream;
  }

  /**
   * Overwrites the first bytes, for headers that describe the data after them.
   *
   * @throws IllegalStateException when fewer bytes have been written so far
   */
  void replaceStart(byte[] bytes) throws IOException {
    stream.flush();
    if (end < bytes.length) {
      throw new IllegalStateException(
          "%d bytes cannot replace the first of %d".formatted(bytes.length, end));
    }
    file.write(0, bytes);
  }

  /**
   * Forces the contents to the disk and gives the file its name.
   *
   * @throws IOException when writing fails; the old file is then still in place
   */
  @Override
  public void commit() throws IOException {
    if (committed) {
      throw new IllegalStateException(target + " is written already");
    }
    stream.flush();
    file.force();
    file.close();
    move(temporary, target);
    committed = true;
  }

  /**
   * Renames a finished file in one step, in place of a file that may have the name.
   *
   * @throws IOException when that fails; both files are then as they were
   */
  public static void move(Path from, Path to) throws IOException {
    try {
      Disk.current().move(from, to);
    } catch (IOException e) {
      throw DiskFile.cannotWrite(to, e);
    }
    forceDirectory(to.toAbsolutePath().getParent());
  }

  // The new name is safe only when the directory is on the disk. Some systems cannot open
  // directories; they keep the order of the two writes by themselves.
  private static void forceDirectory(Path directory) {
    try {
      Disk.current().forceDirectory(directory);
    } catch (IOException e) {
      LOGGER.log(System.Logger.Level.DEBUG, () -> "directory not forced: " + e);
    }
  }

  /** Discards the contents unless they were committed. */
  @Override
  public void close() throws IOException {
    if (!committed) {
      try {
        file.close();
      } finally {
        Disk.current().delete(temporary);
      }
    }
  }
}
