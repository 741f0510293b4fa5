package io.perflow.tensor.io;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
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
  private final RandomAccessFile file; // not a channel, which an interrupt would close
  private final OutputStream stream;
  private boolean committed;

  private AtomicFile(Path target, Path temporary, RandomAccessFile file) {
    this.target = target;
    this.temporary = temporary;
    this.file = file;
    this.stream = new BufferedOutputStream(new Named(), BUFFER);
  }

  /** Names the file when writing fails, for instance because the disk is full. */
  private final class Named extends OutputStream {
    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int count) throws IOException {
      try {
        file.write(bytes, from, count);
      } catch (IOException e) {
        String reason = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
        throw new IOException("cannot write " + target + ": " + reason, e);
      }
    }
  }

  /** Writes the contents of a file. */
  @FunctionalInterface
  public interface Contents {
    /** Writes everything to the stream, which stays open. */
    void writeTo(OutputStream out) throws IOException;
  }

  /** Writes a file; afterwards it is complete, or unchanged after a failure. */
  public static void write(Path target, Contents contents) throws IOException {
    try (AtomicFile file = create(target)) {
      contents.writeTo(file.stream());
      file.commit();
    }
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
      // Not Files.createTempFile: its files can be read by their owner alone.
      Path temporary =
          target.resolveSibling(
              "%s.%d-%d.tmp"
                  .formatted(
                      target.getFileName(),
                      ProcessHandle.current().pid(),
                      COUNTER.incrementAndGet()));
      try {
        Files.createFile(temporary);
        RandomAccessFile file = new RandomAccessFile(temporary.toFile(), "rw");
        lock(file.getChannel());
        return new AtomicFile(target, temporary, file);
      } catch (FileAlreadyExistsException e) {
        continue; // left behind by a process that was killed, on another machine: the next name
      } catch (FileSystemException e) {
        throw new IOException("cannot write " + path + ": " + reason(e, target), e);
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
        Files.deleteIfExists(file);
      }
    }
  }

  // Some file systems have no locks; the number of the process is all there is then.
  private static void lock(FileChannel channel) {
    try {
      channel.tryLock();
    } catch (IOException e) {
      LOGGER.log(System.Logger.Level.DEBUG, () -> "temporary file not locked: " + e);
    }
  }

  private static String reason(FileSystemException e, Path target) {
    Path directory = target.toAbsolutePath().getParent();
    if (!Files.exists(directory)) {
      return "the directory " + directory + " does not exist; create it first";
    }
    if (!Files.isDirectory(directory)) {
      return directory + " is not a directory";
    }
    if (!Files.isWritable(directory)) {
      return "the directory " + directory + " is not writable";
    }
    return e.getReason() == null ? e.toString() : e.getReason();
  }

  /**
   * The stream for the contents, which is buffered; {@link #commit} or {@link #close} closes it.
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
    long end = file.length();
    if (end < bytes.length) {
      throw new IllegalStateException(
          "%d bytes cannot replace the first of %d".formatted(bytes.length, end));
    }
    file.seek(0);
    file.write(bytes);
    file.seek(end);
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
    file.getFD().sync();
    file.close();
    Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
    committed = true;
    forceDirectory();
  }

  // The name itself is safe once the directory is on the disk. Some systems cannot open
  // directories; they order the two by themselves. Only a channel can force a directory, and it
  // would refuse an interrupted thread.
  private void forceDirectory() {
    boolean interrupted = Thread.interrupted();
    try (FileChannel directory =
        FileChannel.open(target.toAbsolutePath().getParent(), StandardOpenOption.READ)) {
      directory.force(true);
    } catch (IOException e) {
      LOGGER.log(System.Logger.Level.DEBUG, () -> "directory not forced: " + e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Discards the contents, unless they are committed. */
  @Override
  public void close() throws IOException {
    if (!committed) {
      try {
        file.close();
      } finally {
        Files.deleteIfExists(temporary);
      }
    }
  }
}
