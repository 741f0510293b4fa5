package io.perflow.flow;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;

/**
 * Reserves a directory for one run, since two trainings that write to the same directory would mix
 * their files. The lock ends with the process at the latest. The thread that holds it may take it
 * again.
 *
 * <pre>{@code
 * try (RunLock _ = RunLock.take(directory)) {
 *   trainer.train();
 * }
 * }</pre>
 */
public final class RunLock implements AutoCloseable {
  /**
   * The file that is locked and that names the owner; it remains after the run and means nothing
   * without the lock.
   */
  public static final String FILE = "run.lock";

  private static final long LOOK_MILLIS = 200;
  private static final int LONGEST = 200; // text about an owner that is repeated
  private static final Map<Path, RunLock> HELD = new HashMap<>();

  private final Path directory;
  private final FileChannel channel;
  private final Thread owner = Thread.currentThread();
  private int times = 1;

  private RunLock(Path directory, FileChannel channel) {
    this.directory = directory;
    this.channel = channel;
  }

  /**
   * Takes the lock of a directory, which is created if it does not exist.
   *
   * @throws IOException naming the owner if another run holds the lock
   */
  public static RunLock take(Path directory) throws IOException {
    Files.createDirectories(directory);
    Path real = directory.toRealPath();
    synchronized (HELD) {
      RunLock held = HELD.get(real);
      if (held == null) {
        held = new RunLock(real, locked(directory));
        HELD.put(real, held);
        return held;
      }
      if (held.owner != Thread.currentThread()) {
        throw inUse(directory, "another thread of this process");
      }
      held.times++;
      return held;
    }
  }

  /**
   * Takes the lock as soon as it is free: a process of an earlier attempt that is being ended may
   * still have it.
   *
   * @throws IOException naming the owner that still has it in the end
   */
  public static RunLock take(Path directory, Duration patience) throws IOException {
    long end = System.nanoTime() + patience.toNanos();
    while (true) {
      try {
        return take(directory);
      } catch (IOException e) {
        if (System.nanoTime() >= end) {
          throw e;
        }
      }
      try {
        Thread.sleep(LOOK_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted while waiting for " + directory, e);
      }
    }
  }

  private static FileChannel locked(Path directory) throws IOException {
    FileChannel channel =
        FileChannel.open(
            directory.resolve(FILE),
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE);
    try {
      FileLock lock = channel.tryLock();
      if (lock == null) {
        throw inUse(directory, text(channel));
      }
      channel.truncate(0);
      channel.write(ByteBuffer.wrap(me().getBytes(StandardCharsets.UTF_8)), 0);
      return channel;
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  private static IOException inUse(Path directory, String owner) {
    return new IOException(
        "%s is in use by %s; wait for its end, or choose another directory"
            .formatted(directory, owner.isBlank() ? "another process" : owner));
  }

  private static String me() {
    return "process %d since %s"
        .formatted(ProcessHandle.current().pid(), Instant.now().truncatedTo(ChronoUnit.SECONDS));
  }

  private static String text(FileChannel channel) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(LONGEST);
    channel.read(bytes, 0);
    String text = new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
    return text.replaceAll("\\p{Cntrl}", " ").strip();
  }

  /** Releases the lock, once for each time it was taken. */
  @Override
  public void close() throws IOException {
    synchronized (HELD) {
      if (--times == 0) {
        HELD.remove(directory);
        channel.close();
      }
    }
  }
}
