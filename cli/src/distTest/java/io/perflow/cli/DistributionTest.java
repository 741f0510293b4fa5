package io.perflow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Starts what {@code distZip} and {@code runtimeImage} make, with a search path that leads to no
 * Java and from a directory that has nothing to do with the project.
 */
class DistributionTest {
  private static final Path JDK = Path.of(System.getProperty("java.home"));
  private static final Path IMAGE = Path.of(System.getProperty("perflow.image"));

  @TempDir private Path directory;

  @Test
  void theZipRunsOnAJdkThatIsNamed() throws Exception {
    Path home = unzipped();
    Map<String, String> jdk = Map.of("PERFLOW_JAVA_HOME", JDK.toString());
    String version = run(0, jdk, home, "--version");
    // alone: the JVM's line on its incubator module is filtered
    assertTrue(version.matches("perflow \\d+\\.\\d+\\.\\d+\\S*\\s*"), version);
    reconstructs(home, jdk);
  }

  @Test
  void theImageNeedsNoJdk() throws Exception {
    reconstructs(IMAGE, Map.of());
  }

  @Test
  void aMissingJdkIsOneClearMessage() throws Exception {
    Map<String, String> wrong = Map.of("PERFLOW_JAVA_HOME", directory.toString());
    String message = run(2, wrong, IMAGE, "--version");
    assertTrue(message.contains("is not a JDK 25 or newer"), message);
  }

  @Test
  void theLauncherMayBeALink() throws Exception {
    Path link = directory.resolve("bin");
    Files.createDirectory(link);
    Files.createSymbolicLink(link.resolve("perflow"), IMAGE.resolve("bin/perflow"));
    assertTrue(run(0, Map.of(), directory, "--version").contains("perflow "));
  }

  @Test
  void manualPagesAndCompletionsAreThere() throws Exception {
    Path share = unzipped().resolve("share");
    for (String file :
        List.of(
            "man/man1/perflow.1",
            "man/man1/perflow-reconstruct.1",
            "bash-completion/completions/perflow",
            "zsh/site-functions/_perflow")) {
      assertTrue(Files.size(share.resolve(file)) > 0, file);
    }
  }

  /** NVIDIA's compiler has terms of its own, and perflow does not use it. */
  @Test
  void nothingIsHandedOnWithoutItsLicence() throws Exception {
    Path home = unzipped();
    for (String file : List.of("LICENSE", "licences/README.md", "licences/jcuda.txt")) {
      assertTrue(Files.size(home.resolve(file)) > 0, file);
    }
    try (Stream<Path> jars = Files.list(home.resolve("lib"))) {
      Path natives =
          jars.filter(jar -> jar.getFileName().toString().startsWith("jcuda-natives"))
              .findFirst()
              .orElseThrow();
      try (ZipFile zip = new ZipFile(natives.toFile())) {
        List<String> libraries =
            zip.stream().map(ZipEntry::getName).filter(name -> name.endsWith(".so")).toList();
        assertTrue(
            libraries.stream().anyMatch(name -> name.contains("JCudaDriver")), natives::toString);
        assertTrue(
            libraries.stream().noneMatch(name -> name.contains("PTXCompiler")),
            libraries::toString);
      }
    }
  }

  @Test
  void theImageHasEveryModuleOfTheJdkThatTheJarsUse() throws Exception {
    Set<String> there =
        output(0, Map.of(), IMAGE.resolve("runtime/bin/java").toString(), "--list-modules")
            .lines()
            .map(line -> line.replaceFirst("@.*", ""))
            .collect(Collectors.toCollection(TreeSet::new));
    String lib = IMAGE.resolve("lib").toString();
    List<String> command = new ArrayList<>(List.of(JDK.resolve("bin/jdeps").toString()));
    command.addAll(List.of("--multi-release", "25", "--ignore-missing-deps"));
    command.addAll(List.of("--print-module-deps", "--module-path", lib));
    try (Stream<Path> jars = Files.list(IMAGE.resolve("lib"))) {
      jars.map(Path::toString)
          .filter(jar -> jar.endsWith(".jar") && !jar.contains("natives"))
          .forEach(command::add);
    }
    String found = output(0, Map.of(), command.toArray(String[]::new));
    List<String> missing =
        Stream.of(found.lines().toList().getLast().split(","))
            .filter(module -> module.matches("(java|jdk)\\..*") && !there.contains(module))
            .toList();
    assertEquals(List.of(), missing, "add these to runtimeModules in gradle/distribution.gradle");
  }

  @Test
  void theLauncherOfWindowsStartsTheSameProgram() throws IOException {
    String windows = Files.readString(IMAGE.resolve("bin/perflow.bat"));
    String posix = Files.readString(IMAGE.resolve("bin/perflow"));
    assertTrue(windows.contains("\r\n"), "cmd.exe wants lines that end in CR LF");
    for (String part : List.of("lib", "jvm.args", "-Dperflow.home=", "io.perflow.cli.Main")) {
      assertTrue(windows.contains(part) && posix.contains(part), part);
    }
  }

  // a shipped model by its name, readings from a relative path, results into the working directory
  private void reconstructs(Path home, Map<String, String> environment) throws Exception {
    Files.writeString(
        directory.resolve("readings.csv"), "x,y,f,u\n0.25,0.5,0.4,\n0.5,0.75,,-0.01\n");
    String said =
        run(
            0,
            environment,
            home,
            "reconstruct",
            "--model=poisson",
            "--observations=readings.csv",
            "--samples=2",
            "--out=result");
    for (String file : List.of("fields.npz", "figure.png", "certificate.json")) {
      assertTrue(Files.size(directory.resolve("result").resolve(file)) > 0, said);
    }
  }

  private String run(int code, Map<String, String> environment, Path home, String... arguments)
      throws Exception {
    List<String> command = new ArrayList<>(List.of("/bin/sh"));
    command.add(home.resolve("bin/perflow").toString());
    command.addAll(List.of(arguments));
    return output(code, environment, command.toArray(String[]::new));
  }

  private String output(int code, Map<String, String> environment, String... command)
      throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
    Path log = Files.createTempFile(directory, "log", ".txt");
    Map<String, String> own = builder.environment();
    own.clear();
    own.put("PERFLOW_OPTS", "-Xmx1g");
    own.putAll(environment);
    own.put("PATH", tools().toString());
    own.put("HOME", directory.toString());
    Process process = builder.redirectOutput(log.toFile()).start();
    process.getOutputStream().close();
    boolean ended = process.waitFor(5, TimeUnit.MINUTES);
    process.destroyForcibly();
    String said = Files.readString(log);
    assertEquals(code, ended ? process.exitValue() : -1, said);
    return said;
  }

  /** A directory with the tools of a shell and no Java. */
  private Path tools() throws IOException {
    Path tools = directory.resolve("tools");
    if (Files.notExists(tools)) {
      Files.createDirectory(tools);
      for (String name : List.of("dirname", "readlink", "sed", "mkfifo", "rm", "uname")) {
        Path tool = Path.of("/usr/bin", name);
        Files.createSymbolicLink(
            tools.resolve(name), Files.exists(tool) ? tool : Path.of("/bin", name));
      }
    }
    return tools;
  }

  /** The unpacked zip, below a directory with a space in its name. */
  private Path unzipped() throws IOException {
    Path to = directory.resolve("a place of its own");
    try (InputStream file = Files.newInputStream(Path.of(System.getProperty("perflow.zip")));
        ZipInputStream zip = new ZipInputStream(file)) {
      for (ZipEntry e = zip.getNextEntry(); e != null; e = zip.getNextEntry()) {
        Path target = to.resolve(e.getName());
        if (e.isDirectory()) {
          Files.createDirectories(target);
        } else {
          Files.createDirectories(target.getParent());
          Files.copy(zip, target);
        }
      }
    }
    try (Stream<Path> roots = Files.list(to)) {
      List<Path> all = roots.toList();
      assertEquals(1, all.size(), all.toString());
      return all.getFirst();
    }
  }
}
