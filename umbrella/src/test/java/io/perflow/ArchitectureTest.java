package io.perflow;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The rules on which module may depend on which, and where the incubator module and JCuda may
 * appear.
 */
class ArchitectureTest {
  /**
   * For each module the modules that it may use; a module that is not listed uses none of the
   * project.
   */
  private static final Map<String, List<String>> MAY_SEE =
      Map.of(
          "tensor", List.of(),
          "autograd", List.of("tensor"),
          "cuda", List.of("tensor"),
          "cuda.emulator", List.of("tensor", "cuda"),
          "nn", List.of("tensor", "autograd"),
          "physics", List.of("tensor", "autograd"),
          "flow", List.of("tensor", "autograd", "nn", "physics"),
          "interop", List.of("tensor", "autograd", "physics"));

  private static final JavaClasses PROJECT =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.perflow");

  static List<String> modules() {
    return MAY_SEE.keySet().stream().sorted().toList();
  }

  @ParameterizedTest
  @MethodSource("modules")
  void dependenciesPointOneWay(String module) {
    for (var other : modules()) {
      if (!other.equals(module) && !MAY_SEE.get(module).contains(other)) {
        noClasses().that(areOf(module)).should().dependOnClassesThat(areOf(other)).check(PROJECT);
      }
    }
  }

  @Test
  void theIncubatorModuleStaysInTheCpuBackend() {
    keptIn("io.perflow.tensor.cpu..", "jdk.incubator.vector..").check(PROJECT);
  }

  @Test
  void theCpuBackendIsUsedInItsModuleOnly() {
    keptIn("io.perflow.tensor..", "io.perflow.tensor.cpu..").check(PROJECT);
  }

  @Test
  void familiesOfKernelsDoNotDependOnEachOtherInCircles() {
    slices().matching("io.perflow.tensor.cpu.(*)").should().beFreeOfCycles().check(PROJECT);
    noClasses()
        .that()
        .resideInAPackage("io.perflow.tensor.cpu.*")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.perflow.tensor.cpu")
        .check(PROJECT);
  }

  @Test
  void jcudaStaysBelowTheCudaBackend() {
    keptIn("io.perflow.cuda.driver..", "jcuda..").check(PROJECT);
  }

  @Test
  void readersOfForeignFilesStayInTheirModule() {
    keptIn("io.perflow.interop..", "io.jhdf..").check(PROJECT);
    keptIn("io.perflow.interop..", "us.hebi..").check(PROJECT);
  }

  @ParameterizedTest
  @MethodSource("modules")
  void everyModuleIsSeen(String module) {
    assertTrue(PROJECT.stream().anyMatch(areOf(module)), module);
  }

  @Test
  void theRulesSeeTheClassesAndCanFail() {
    assertTrue(PROJECT.contain(Perflow.class));
    var broken = noClasses().that().resideInAPackage("io.perflow").should().dependOnClassesThat();
    assertThrows(AssertionError.class, () -> broken.resideInAPackage("java.util..").check(PROJECT));
  }

  /** The classes below the module's package that are not those of a module further below. */
  private static DescribedPredicate<JavaClass> areOf(String module) {
    return DescribedPredicate.describe(
        "are of module " + module, c -> module.equals(moduleOf(c.getPackageName())));
  }

  /** The listed module whose name a package begins with, the longest one; empty for none. */
  private static String moduleOf(String packageName) {
    return modules().stream()
        .filter(m -> (packageName + ".").startsWith("io.perflow." + m + "."))
        .max(Comparator.comparingInt(String::length))
        .orElse("");
  }

  private static ArchRule keptIn(String home, String packages) {
    return noClasses()
        .that()
        .resideOutsideOfPackage(home)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(packages);
  }
}
