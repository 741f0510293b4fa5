package io.perflow.cli.chaos;

import io.perflow.cli.Shell;
import io.perflow.fixtures.FaultyDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Lets every single call that changes a file fail: once, and from then on for good as on a full
 * disk. Whatever happens, files are whole, the answer is one line, and the same command then ends
 * with the bits of a run that nothing has disturbed.
 */
final class Faults {
  private static final String FULL = "No space left on device";

  private final Path home;
  private final Path directory;
  private final List<String> wrong = new ArrayList<>();
  private int tried;
  private int answered;

  /**
   * @param home of {@link Errand#prepare}
   * @param directory for what is written
   */
  Faults(Path home, Path directory) {
    this.home = home;
    this.directory = directory;
  }

  /** What went wrong, one line each. */
  List<String> wrong() {
    return wrong;
  }

  String figures() {
    return "%d failures of calls: %d ended an errand with a line, %d did no harm"
        .formatted(tried, answered, tried - answered);
  }

  /** Lets every n-th call of an errand fail, in both ways. */
  Faults run(Errand errand, int first, int every) throws IOException {
    Path whole = directory.resolve(errand + "-whole");
    int calls;
    try (FaultyDisk disk = new FaultyDisk(_ -> {})) {
      errand.run(home, whole);
      calls = disk.calls();
    }
    for (int call = first; call <= calls; call += every) {
      for (boolean forGood : new boolean[] {false, true}) {
        Path out = directory.resolve("%s-%d-%s".formatted(errand, call, forGood));
        String name = "%s, call %d%s".formatted(errand, call, forGood ? " and later ones" : "");
        for (String fault : oneCall(errand, whole, out, call, forGood)) {
          wrong.add(name + ": " + fault);
        }
      }
    }
    return this;
  }

  private List<String> oneCall(Errand errand, Path whole, Path out, int call, boolean forGood)
      throws IOException {
    List<String> faults = new ArrayList<>();
    tried++;
    try (FaultyDisk _ = new FaultyDisk(number -> failAt(number, call, forGood))) {
      errand.run(home, out);
      note(faults, errand.difference(whole, out), "wrote another ");
    } catch (IOException | RuntimeException e) {
      answered++;
      note(faults, Answer.fault(e.getMessage()), "");
    }
    if (Files.exists(out)) {
      Shell.Result checked = Shell.run("check", out);
      note(faults, checked.code() == 0 ? "" : checked.out(), "left what is damaged: ");
    }
    try {
      errand.run(home, out);
    } catch (IOException | RuntimeException e) {
      faults.add("did not go on: " + e.getMessage());
    }
    note(faults, errand.difference(whole, out), "went on to another ");
    if (!forGood && !Errand.leftovers(out).isEmpty()) {
      faults.add("left " + Errand.leftovers(out));
    }
    return faults;
  }

  private static void failAt(int number, int call, boolean forGood) throws IOException {
    if (number == call || forGood && number > call) {
      throw new IOException(FULL);
    }
  }

  private static void note(List<String> faults, String found, String before) {
    if (!found.isEmpty()) {
      faults.add(before + found);
    }
  }
}
