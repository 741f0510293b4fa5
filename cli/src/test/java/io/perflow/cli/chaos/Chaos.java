package io.perflow.cli.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** The program behind {@code ./gradlew chaos}: everything that can go wrong around the library. */
final class Chaos {
  private int faults;

  private Chaos() {}

  /**
   * Runs all of it, prints the figures, and ends with 1 if anything went wrong.
   *
   * @param args the number of kills, that of concurrent reconstructions, and the seed
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    int kills = Integer.parseInt(args[0]);
    int requests = Integer.parseInt(args[1]);
    long seed = Long.parseLong(args[2]);
    Path root = Files.createTempDirectory("chaos");
    Path home = Errand.prepare(root.resolve("home"));
    Chaos chaos = new Chaos();

    long start = System.nanoTime();
    Crowd crowd = new Crowd(home).run(requests);
    chaos.report(requests + " reconstructions", start, crowd::figures, crowd.wrong());

    start = System.nanoTime();
    Faults faults = new Faults(home, Files.createDirectory(root.resolve("faults")));
    for (Errand errand : Errand.shortOnes()) {
      faults.run(errand, 1, 1);
    }
    chaos.report("failing calls", start, faults::figures, faults.wrong());

    start = System.nanoTime();
    Memory memory = new Memory(home, Files.createDirectory(root.resolve("memory"))).run();
    chaos.report("low memory", start, memory::figures, memory.wrong());

    Path places = Files.createDirectory(root.resolve("places"));
    start = System.nanoTime();
    if (Places.canMount(places.resolve("disk"))) {
      Places full = new Places(home, Files.createDirectory(places.resolve("full"))).fullDisk();
      chaos.report("full disk", start, full::figures, full.wrong());
    } else {
      System.out.println("full disk: left out, since this user may not mount a file system");
    }
    start = System.nanoTime();
    if (Places.canRefuse()) {
      Places lost = new Places(home, Files.createDirectory(places.resolve("lost"))).readOnly();
      chaos.report("read-only in mid-run", start, lost::figures, lost.wrong());
    } else {
      System.out.println("read-only in mid-run: left out, since root may write anywhere");
    }

    start = System.nanoTime();
    Kills killed = new Kills(home, Files.createDirectory(root.resolve("kills")), seed).run(kills);
    chaos.report("kills", start, killed::figures, killed.wrong());

    System.out.println(
        chaos.faults == 0
            ? "nothing was lost"
            : "%d faults; the files are in %s".formatted(chaos.faults, root));
    System.exit(chaos.faults == 0 ? 0 : 1);
  }

  private void report(String what, long start, Supplier<String> figures, List<String> wrong) {
    Duration time = Duration.ofNanos(System.nanoTime() - start);
    System.out.printf(
        "%s: %s; %d wrong; %d s%n", what, figures.get(), wrong.size(), time.toSeconds());
    wrong.forEach(line -> System.out.println("  " + line));
    faults += wrong.size();
  }
}
