package io.perflow.cli.chaos;

import io.perflow.fixtures.FaultyDisk;
import java.io.IOException;
import java.nio.file.Path;

/** A process that does an errand and may be killed, or disturbed where it waits. */
final class Victim {
  static final String HERE = "here";

  private Victim() {}

  /**
   * Does an errand.
   *
   * @param args its name, the home, where it writes, and the number of the call to the disk at
   *     which it waits for a line on its standard input; 0 to go through
   */
  public static void main(String[] args) throws IOException {
    int stop = Integer.parseInt(args[3]);
    try (FaultyDisk _ =
        new FaultyDisk(
            call -> {
              if (call == stop) {
                System.out.println(HERE);
                System.in.read();
              }
            })) {
      Errand.valueOf(args[0]).run(Path.of(args[1]), Path.of(args[2]));
    } catch (IOException | RuntimeException e) {
      System.err.println(e.getMessage());
      System.exit(1);
    }
  }
}
