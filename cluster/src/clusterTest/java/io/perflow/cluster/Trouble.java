package io.perflow.cluster;

import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Lets one process come to a place where a test can do it harm, once: it writes its number to a
 * file and waits. Whoever comes there when the file exists goes on.
 *
 * @param mark the file; empty for no trouble at all
 * @param step when
 * @param rank who
 * @param millis how long it waits at most
 */
record Trouble(String mark, int step, int rank, long millis) implements Serializable {
  private static final Trouble NONE = new Trouble("", 0, 0, 0);

  static Trouble none() {
    return NONE;
  }

  void at(int now, int who) {
    if (mark.isEmpty() || now != step || who != rank) {
      return;
    }
    try {
      Path file = Path.of(mark);
      Path own = Files.createTempFile(file.toAbsolutePath().getParent(), "pid", null);
      Files.writeString(own, Long.toString(ProcessHandle.current().pid()));
      Files.createLink(file, own); // complete, and by one process only
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (FileAlreadyExistsException e) {
      return; // it has happened
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The process that waits there, on the side of the test. */
  long victim() throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
    while (!Files.exists(Path.of(mark))) {
      if (System.nanoTime() > end) {
        throw new AssertionError("nobody came to step " + step);
      }
      TimeUnit.MILLISECONDS.sleep(50);
    }
    return Long.parseLong(Files.readString(Path.of(mark)));
  }

  static void signal(String name, long process) throws Exception {
    int exit = new ProcessBuilder("kill", "-" + name, Long.toString(process)).start().waitFor();
    if (exit != 0) {
      throw new AssertionError("kill -%s %d: exit %d".formatted(name, process, exit));
    }
  }
}
