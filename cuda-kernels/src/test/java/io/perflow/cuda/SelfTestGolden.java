package io.perflow.cuda;

import io.perflow.cuda.emulator.EmulatedDriver;
import io.perflow.cuda.emulator.Emulator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes the checksums that the self-test expects, as the emulated device computes them: {@code
 * ./gradlew :cuda-kernels:selfTestGolden}.
 */
final class SelfTestGolden {
  private SelfTestGolden() {}

  /** Writes the file named by the argument. */
  public static void main(String[] args) throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add("# CRC-32 of the bits of each trial of the self-test, from the emulated device");
    SelfTest test = SelfTest.of(Emulator.over(EmulatedDriver.create()));
    test.run(
        outcome -> {
          if (outcome.verdict() == SelfTest.Verdict.WRONG) {
            System.out.println(outcome);
          }
          lines.add(outcome.checksum() + " " + outcome.name());
        });
    System.out.println("kernels that no trial reaches: " + test.untried());
    Files.write(Path.of(args[0]), lines);
  }
}
