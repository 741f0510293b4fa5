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
   * Runs all of it, or some, prints the figures, and ends with 1 if anything went wrong.
   *
   * @param args the number of kills, that of concurrent reconstructions, the seed, and the parts to
   *     run with commas between: {@code crowd}, {@code calls}, {@code memory}, {@code disk}, {@code
   *     permissions}, {@code kills}
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    int kills = Integer.parseInt(args[0]);
    int requests = Integer.parseInt(args[1]);
    long seed = Long.parseLong(args[2]);
    Path root = Files.createTempDirectory("chaos");
    Path home = Errand.prepare(root.resolve("home"));
    Chaos chaos = new Chaos();
    for (String part : args[3].split(",")) {
      Path place = Files.createDirectory(root.resolve(part));
      switch (part) {
        case "crowd" -> chaos.crowd(home, requests);
        case "calls" -> chaos.calls(home, place);
        case "memory" -> chaos.memory(home, place);
        case "disk" -> chaos.fullDisk(home, place);
        case "permissions" -> chaos.readOnly(home, place);
        case "kills" -> chaos.kills(home, place, kills, seed);
        default -> throw new IllegalArgumentException("chaos has no part '" + part + "'");
      }
    }
    System.out.println(
        chaos.faults == 0
            ? "nothing was lost"
            : "%d faults; the files are in %s".formatted(chaos.faults, root));
    System.exit(chaos.faults == 0 ? 0 : 1);
  }

  private void crowd(Path home, int requests) throws IOException, InterruptedException {
    long start = System.nanoTime();
    Crowd crowd = new Crowd(home).run(requests);
    report(requests + " reconstructions", start, crowd::figures, crowd.wrong());
  }

  private void calls(Path home, Path place) throws IOException {
    long start = System.nanoTime();
    Faults calls = new Faults(home, place);
    for (Errand errand : Errand.shortOnes()) {
      calls.run(errand, 1, 1);
    }
    report("failing calls", start, calls::figures, calls.wrong());
  }

  private void memory(Path home, Path place) throws IOException {
    long start = System.nanoTime();
    Memory memory = new Memory(home, place).run();
    report("low memory", start, memory::figures, memory.wrong());
  }

  private void fullDisk(Path home, Path place) throws IOException {
    long start = System.nanoTime();
    if (!Places.canMount(place.resolve("disk"))) {
      System.out.println("full disk: left out, since this user may not mount a file system");
      return;
    }
    Places full = new Places(home, place).fullDisk();
    report("full disk", start, full::figures, full.wrong());
  }

  private void readOnly(Path home, Path place) throws IOException {
    long start = System.nanoTime();
    if (!Places.canRefuse()) {
      System.out.println("read-only in mid-run: left out, since root may write anywhere");
      return;
    }
    Places lost = new Places(home, place).readOnly();
    report("read-only in mid-run", start, lost::figures, lost.wrong());
  }

  private void kills(Path home, Path place, int kills, long seed) throws IOException {
    long start = System.nanoTime();
    Kills killed = new Kills(home, place, seed).run(kills);
    report("kills", start, killed::figures, killed.wrong());
  }

  private void report(String what, long start, Supplier<String> figures, List<String> wrong) {
    Duration time = Duration.ofNanos(System.nanoTime() - start);
    System.out.printf(
        "%s: %s; %d wrong; %d s%n", what, figures.get(), wrong.size(), time.toSeconds());
    wrong.forEach(line -> System.out.println("  " + line));
    faults += wrong.size();
  }
}
