package io.perflow.cuda.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.cuda.emulator.ptx.PtxModule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every PTX file is accepted by NVIDIA's assembler for all architectures, and stays in its budget.
 */
class PtxAssemblerTest {
  static List<Path> files() throws IOException {
    try (var main = Files.walk(Path.of("src/main"));
        var test = Files.walk(TestKernels.HOME)) {
      var found = new ArrayList<Path>();
      main.filter(p -> p.toString().endsWith(".ptx")).forEach(found::add);
      test.filter(p -> p.toString().endsWith(".ptx")).forEach(found::add);
      return found.stream().sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("files")
  void isAcceptedForAllArchitecturesAndWithinItsBudget(Path file) throws IOException {
    String ptx = Files.readString(file);
    var findings = new ArrayList<String>();
    // The kernels of tests have no budget.
    ResourceBudget budget = ResourceBudget.read(ResourceBudget.fileOf(file));
    boolean budgeted = file.startsWith("src/main");
    PtxAssembler.all(ptx)
        .forEach(
            (architecture, result) -> {
              assertTrue(
                  result.accepted(), () -> file + ", " + architecture + ": " + result.messages());
              assertEquals(PtxModule.parse(ptx).kernels().keySet(), result.kernels().keySet());
              findings.addAll(
                  budgeted ? budget.exceeded(architecture, result.kernels()) : List.of());
            });
    assertTrue(findings.isEmpty(), () -> String.join("\n", findings));
  }

  @Test
  void refusesWhatDevicesWouldRefuse() throws IOException {
    String ptx = Files.readString(files().getFirst());
    PtxAssembler.Result newer =
        PtxAssembler.assemble(ptx.replace(".version 7.0", ".version 9.0"), "sm_80");
    assertFalse(newer.accepted());
    assertTrue(newer.messages().contains("9.0"), newer.messages());
    PtxAssembler.Result typo =
        PtxAssembler.assemble(ptx.replaceFirst("ld.param", "ld.parm"), "sm_80");
    assertFalse(typo.accepted());
    assertTrue(typo.messages().contains("line "), typo.messages());
  }

  @Test
  void theBudgetNoticesWhatIsNewAndWhatGrew(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("some.budget");
    assertEquals(
        List.of("k on sm_80 is not in the budget"),
        ResourceBudget.read(file)
            .exceeded("sm_80", Map.of("k", new PtxAssembler.Usage(1, 0, 0, 0))));
    ResourceBudget.write(file, Map.of("k sm_80", new PtxAssembler.Usage(40, 1024, 0, 0)));
    ResourceBudget budget = ResourceBudget.read(file);
    assertEquals(
        List.of(), budget.exceeded("sm_80", Map.of("k", new PtxAssembler.Usage(40, 1024, 8, 0))));
    for (var more :
        List.of(
            new PtxAssembler.Usage(41, 1024, 0, 0),
            new PtxAssembler.Usage(40, 1025, 0, 0),
            new PtxAssembler.Usage(40, 1024, 0, 4))) {
      assertEquals(1, budget.exceeded("sm_80", Map.of("k", more)).size());
    }
  }
}
