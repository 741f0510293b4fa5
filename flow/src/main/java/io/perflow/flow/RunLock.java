package io.perflow.flow;

import io.perflow.tensor.disk.Disk;
import io.perflow.tensor.disk.DiskFile;
import io.perflow.tensor.disk.Owner;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * A lock that reserves a directory for one run, because two trainings that write to the same
 * directory would mix their files. The lock ends with the process at the latest. The thread that
 * holds it may take it again.
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
  private static final String KIND = "directory";
  private static final Map<Path, RunLock> HELD = new HashMap<>();

  private final Path directory;
  private final DiskFile file;
  private final Thread owner = Thread.currentThread();
  private int times = 1;

  private RunLock(Path directory, DiskFile file) {
    this.directory = directory;
    this.file = file;
  }

  /**
   * Takes the lock of a directory, which is created if it does not exist.
   *
   * @throws IOException naming the owner if another run holds the lock
   */
  public static RunLock take(Path directory) throws IOException {
    Disk.current().createDirectories(directory);
    Path real = directory.toRealPath();
    synchronized (HELD) {
      RunLock held = HELD.get(real);
      if (held == null) {
        held = new RunLock(real, locked(directory));
        HELD.put(real, held);
        return held;
      }
      if (held.owner != Thread.currentThread()) {
        throw Owner.inUse(directory, "another thread of this process", KIND);
      }
      held.times++;
      return held;
    }
  }

  /**
   * Takes the lock as soon as it is free; a process of an earlier attempt that is being ended may
   * still hold it.
   *
   * @throws IOException naming the owner if it still holds the lock at the end
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

  private static DiskFile locked(Path directory) throws IOException {
    DiskFile file = DiskFile.open(directory.resolve(FILE));
    try {
      if (!file.lock()) {
        throw Owner.inUse(directory, Owner.in(file, 0), KIND);
      }
      file.write(0, Owner.me());
      return file;
    } catch (IOException e) {
      file.close();
      throw e;
    }
  }

  /** Releases the lock, once for each time it was taken. */
  @Override
  public void close() throws IOException {
    synchronized (HELD) {
      if (--times == 0) {
        HELD.remove(directory);
        file.close();
      }
    }
  }
}
