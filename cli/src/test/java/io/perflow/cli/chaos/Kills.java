package io.perflow.cli.chaos;

import io.perflow.cli.Shell;
import io.perflow.flow.Trainer;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.SafeTensors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * Kills processes that train and generate: at any time, as soon as a file is being written, and in
 * the middle of a call to the disk that is counted. A run is continued by the next process until it
 * is done, and then compared with one that was not disturbed.
 */
final class Kills {
  private static final List<Errand> ERRANDS =
      List.of(Errand.LONG_TRAIN, Errand.LONG_TRAIN, Errand.LONG_GENERATE);
  private static final int LONGEST = 2500; // milliseconds
  private static final int MOST_CALLS = 250;

  private final Path home;
  private final Path directory;
  private final SplittableRandom random;
  private final List<String> wrong = new ArrayList<>();
  private int kills;
  private int inWrites;
  private int runs;

  Kills(Path home, Path directory, long seed) {
    this.home = home;
    this.directory = directory;
    random = new SplittableRandom(seed);
  }

  List<String> wrong() {
    return wrong;
  }

  String figures() {
    return "%d kills, %d of them while a file was written, in %d runs"
        .formatted(kills, inWrites, runs);
  }

  Kills run(int wanted) throws IOException {
    for (int run = 0; kills < wanted; run++) {
      Errand errand = ERRANDS.get(run % ERRANDS.size());
      Path whole = directory.resolve(errand + "-whole");
      if (!Files.exists(whole)) {
        Files.createDirectories(whole);
        try (Child child = start(errand, whole, 0)) {
          if (child.end() != 0) {
            throw new IOException("the undisturbed run failed: " + child.said());
          }
        }
      }
      Path out = Files.createDirectories(directory.resolve("run" + run));
      disturbed(errand, whole, out, wanted);
      runs++;
    }
    return this;
  }

  private void disturbed(Errand errand, Path whole, Path out, int wanted) throws IOException {
    long steps = 0;
    // most runs are killed several times, and all of them end
    for (int lives = 2 + random.nextInt(6); lives > 0 && kills < wanted; lives--) {
      if (!killed(errand, out)) {
        break;
      }
      kills++;
      String name = "%s in %s after kill %d: ".formatted(errand, out.getFileName(), kills);
      if (!isEmpty(out)) {
        Shell.Result checked = Shell.run("check", out);
        if (checked.code() != 0) {
          wrong.add(name + checked.err() + checked.out());
        }
      }
      long now = newest(out);
      if (now < steps) {
        wrong.add(name + "step %d was reached, and the checkpoint is of %d".formatted(steps, now));
      }
      steps = now;
    }
    try (Child child = start(errand, out, 0)) {
      int code = child.end();
      String name = "%s in %s: ".formatted(errand, out.getFileName());
      if (code != 0) {
        wrong.add(name + "did not go on: " + child.said());
      }
      String other = errand.difference(whole, out);
      if (!other.isEmpty()) {
        wrong.add(name + "went on to another " + other);
      }
      if (!Errand.leftovers(out).isEmpty()) {
        wrong.add(name + "left " + Errand.leftovers(out));
      }
    }
  }

  private static boolean isEmpty(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.findAny().isEmpty();
    }
  }

  private Child start(Errand errand, Path out, int stop) throws IOException {
    return Child.start(
        List.of(),
        List.of("-Xmx256m"),
        Victim.class,
        directory.resolve("output.txt"),
        errand,
        home,
        out,
        stop);
  }

  // whether it was killed before it ended
  private boolean killed(Errand errand, Path out) throws IOException {
    int way = random.nextInt(3);
    int stop = way == 2 ? 1 + random.nextInt(MOST_CALLS) : 0;
    List<Path> old = Errand.leftovers(out);
    try (Child child = start(errand, out, stop)) {
      long end = System.nanoTime() + 1_000_000L * random.nextInt(LONGEST);
      switch (way) {
        case 0 -> {
          while (child.alive() && System.nanoTime() < end) {
            Child.pause(1);
          }
        }
        case 1 -> {
          while (child.alive() && (System.nanoTime() < end || !writes(out, old))) {
            Thread.onSpinWait();
          }
        }
        default -> child.waitsHere();
      }
      boolean writing = writes(out, old);
      boolean alive = child.alive();
      child.kill();
      inWrites += alive && writing ? 1 : 0;
      return alive;
    }
  }

  private static boolean writes(Path out, List<Path> old) throws IOException {
    return !old.containsAll(Errand.leftovers(out));
  }

  // The step of the newest checkpoint that can be read; 0 if there is none yet.
  private static long newest(Path out) throws IOException {
    for (String name : List.of(Trainer.LAST, Trainer.PREVIOUS)) {
      Path file = out.resolve(name);
      if (Files.exists(file)) {
        try (SafeTensors open = SafeTensors.read(file)) {
          open.verify();
          return Long.parseLong(open.metadata().get("steps"));
        } catch (FileFormatException e) {
          continue; // the check has told
        }
      }
    }
    return 0;
  }
}
