package io.perflow.cuda.driver;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What kernels may need of a device, in a text file with a line for each kernel and architecture:
 * {@code conv_forward sm_80 96 33792 0} allows 96 registers, 33792 bytes of shared memory and no
 * spilled register. A kernel that needs more, or has no line, is a finding. The Gradle task {@code
 * ptxBudget} writes what is needed now; review the difference.
 */
public final class ResourceBudget {
  private final Map<String, PtxAssembler.Usage> allowed = new TreeMap<>();

  private ResourceBudget() {}

  /** The budget of a PTX file of the library, which stands beside it. */
  public static Path fileOf(Path ptx) {
    return ptx.resolveSibling(ptx.getFileName().toString().replace(".ptx", ".budget"));
  }

  /** Writes the budgets of the PTX files given as arguments, or below a directory. */
  public static void main(String[] args) throws IOException {
    for (String arg : args) {
      try (var files = Files.walk(Path.of(arg))) {
        for (Path ptx : files.filter(f -> f.toString().endsWith(".ptx")).sorted().toList()) {
          var needs = new TreeMap<String, PtxAssembler.Usage>();
          PtxAssembler.all(Files.readString(ptx))
              .forEach(
                  (architecture, result) ->
                      result
                          .kernels()
                          .forEach((kernel, u) -> needs.put(kernel + " " + architecture, u)));
          write(fileOf(ptx), needs);
        }
      }
    }
  }

  /** Reads a budget; a file that does not exist is an empty one. */
  public static ResourceBudget read(Path file) throws IOException {
    var budget = new ResourceBudget();
    if (Files.exists(file)) {
      for (String line : Files.readAllLines(file)) {
        if (!line.startsWith("#") && !line.isBlank()) {
          String[] f = line.trim().split("\\s+");
          budget.allowed.put(
              f[0] + " " + f[1],
              new PtxAssembler.Usage(
                  Integer.parseInt(f[2]), Integer.parseInt(f[3]), 0, Integer.parseInt(f[4])));
        }
      }
    }
    return budget;
  }

  /** What exceeds the budget, a line for each. */
  public List<String> exceeded(String architecture, Map<String, PtxAssembler.Usage> kernels) {
    var findings = new ArrayList<String>();
    kernels.forEach(
        (kernel, needs) -> {
          PtxAssembler.Usage may = allowed.get(kernel + " " + architecture);
          if (may == null) {
            findings.add("%s on %s is not in the budget".formatted(kernel, architecture));
          } else if (needs.registers() > may.registers()
              || needs.shared() > may.shared()
              || needs.spills() > may.spills()) {
            findings.add(
                "%s on %s needs %d registers, %d bytes of shared memory and spills %d; allowed are %d, %d, %d"
                    .formatted(
                        kernel,
                        architecture,
                        needs.registers(),
                        needs.shared(),
                        needs.spills(),
                        may.registers(),
                        may.shared(),
                        may.spills()));
          }
        });
    return findings;
  }

  /** Writes a budget that allows exactly what is needed; keys are kernel and architecture. */
  public static void write(Path file, Map<String, PtxAssembler.Usage> needs) throws IOException {
    String lines =
        new TreeMap<>(needs)
            .entrySet().stream()
                .map(
                    e ->
                        "%s %d %d %d"
                            .formatted(
                                e.getKey(),
                                e.getValue().registers(),
                                e.getValue().shared(),
                                e.getValue().spills()))
                .collect(Collectors.joining("\n", "", "\n"));
    Files.writeString(file, "# kernel architecture registers shared-bytes spill-bytes\n" + lines);
  }
}
