package io.perflow.cli.chaos;

import io.perflow.cli.Shell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Real places that refuse to be written: a file system that is full, and directories that lose
 * their permission while a run is at work. Both are mended afterwards, and the run goes on.
 */
final class Places {
  private static final int[] SIZES = {16, 48, 96, 160, 256, 512, 1024}; // kB
  private static final int ROOM = 64 << 10; // kB
  private static final int[] CALLS = {2, 8, 14, 20, 32, 50, 90, 150};

  private final Path home;
  private final Path directory;
  private final List<String> wrong = new ArrayList<>();
  private int answered;
  private int unharmed;

  Places(Path home, Path directory) {
    this.home = home;
    this.directory = directory;
  }

  List<String> wrong() {
    return wrong;
  }

  String figures() {
    return "%d errands ended with a line, %d did not need what was refused"
        .formatted(answered, unharmed);
  }

  /** Whether this user may mount a small file system. */
  static boolean canMount(Path at) throws IOException {
    Path disk = Files.createDirectories(at);
    boolean can = ran("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk.toString());
    return can && ran("umount", disk.toString());
  }

  /** Whether this user, without the powers of root, is refused what permissions do not give. */
  static boolean canRefuse() throws IOException {
    return !root() || ran("setpriv", "--bounding-set=-dac_override", "true");
  }

  Places fullDisk() throws IOException {
    for (Errand errand : Errand.shortOnes()) {
      Path whole = whole(errand);
      for (int size : SIZES) {
        Path disk = Files.createDirectories(directory.resolve("%s-%dk".formatted(errand, size)));
        require("mount", "-t", "tmpfs", "-o", "size=" + size + "k", "tmpfs", disk.toString());
        try {
          Path out = disk.resolve("out");
          String name = "%s on a disk of %d kB: ".formatted(errand, size);
          Files.createDirectories(out);
          try (Child child = start(errand, List.of(), out, 0)) {
            judge(child, name);
          }
          require("mount", "-o", "remount,size=" + ROOM + "k", disk.toString());
          goesOn(errand, whole, out, name);
        } finally {
          require("umount", disk.toString());
        }
      }
    }
    return this;
  }

  Places readOnly() throws IOException {
    List<String> plain =
        root() ? List.of("setpriv", "--bounding-set=-dac_override,-dac_read_search") : List.of();
    for (Errand errand : Errand.shortOnes()) {
      Path whole = whole(errand);
      for (int call : CALLS) {
        Path out = Files.createDirectories(directory.resolve("%s-call%d".formatted(errand, call)));
        String name = "%s, read-only at call %d: ".formatted(errand, call);
        try (Child child = start(errand, plain, out, call)) {
          if (!child.waitsHere()) {
            continue; // it has fewer calls
          }
          require("chmod", "-R", "a-w", out.toString());
          child.goOn();
          judge(child, name);
        } finally {
          require("chmod", "-R", "u+w", out.toString());
        }
        goesOn(errand, whole, out, name);
      }
    }
    return this;
  }

  private void judge(Child child, String name) throws IOException {
    if (child.end() == 0) {
      unharmed++;
      return;
    }
    answered++;
    String fault = Answer.fault(child.said());
    if (!fault.isEmpty()) {
      wrong.add(name + fault);
    }
  }

  private void goesOn(Errand errand, Path whole, Path out, String name) throws IOException {
    Shell.Result checked = Shell.run("check", out);
    if (checked.code() != 0) {
      wrong.add(name + "left what is damaged: " + checked.out());
    }
    try (Child child = start(errand, List.of(), out, 0)) {
      String failed = child.end() == 0 ? "" : "did not go on: " + child.said();
      String other = errand.difference(whole, out);
      if (!failed.isEmpty() || !other.isEmpty()) {
        wrong.add(name + (failed.isEmpty() ? "went on to another " + other : failed));
      }
      if (!Errand.leftovers(out).isEmpty()) {
        wrong.add(name + "left " + Errand.leftovers(out));
      }
    }
  }

  private Path whole(Errand errand) throws IOException {
    Path whole = directory.resolve(errand + "-whole");
    if (!Files.exists(whole)) {
      Files.createDirectories(whole);
      try (Child child = start(errand, List.of(), whole, 0)) {
        if (child.end() != 0) {
          throw new IOException("the undisturbed run failed: " + child.said());
        }
      }
    }
    return whole;
  }

  private Child start(Errand errand, List<String> before, Path out, int stop) throws IOException {
    Path output = directory.resolve("output.txt");
    return Child.start(before, List.of("-Xmx256m"), Victim.class, output, errand, home, out, stop);
  }

  private static boolean root() {
    return System.getProperty("user.name").equals("root");
  }

  private static void require(String... command) throws IOException {
    if (!ran(command)) {
      throw new IOException("failed: " + String.join(" ", command));
    }
  }

  private static boolean ran(String... command) throws IOException {
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return process.waitFor(1, TimeUnit.MINUTES) && process.exitValue() == 0;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (IOException e) {
      return false; // there is no such command
    }
  }
}
