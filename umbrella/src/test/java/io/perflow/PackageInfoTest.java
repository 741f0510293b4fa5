package io.perflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every package has a short package-info whose names exist. */
class PackageInfoTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern PACKAGE = Pattern.compile("\\{@code (io\\.perflow[a-z.]*)}");
  private static final Pattern TYPE = Pattern.compile("\\{@code ([A-Z]\\w+)}");
  private static final int MOST_LINES = 14;

  @Test
  void everyPackageHasOne() throws IOException {
    List<String> missing = new ArrayList<>();
    for (Path directory : packages()) {
      if (Files.notExists(directory.resolve("package-info.java"))) {
        missing.add(ROOT.relativize(directory).toString());
      }
    }
    assertEquals(List.of(), missing);
  }

  @Test
  void whatTheyNameExists() throws IOException {
    List<Path> packages = packages();
    for (Path directory : packages) {
      String text = Files.readString(directory.resolve("package-info.java"));
      assertTrue(text.startsWith("/**"), directory + " has no comment");
      assertTrue(text.lines().count() <= MOST_LINES, directory + " says too much");
      Matcher named = PACKAGE.matcher(text);
      while (named.find()) {
        Path path = Path.of(named.group(1).replace('.', '/'));
        assertTrue(packages.stream().anyMatch(p -> p.endsWith(path)), directory + " " + path);
      }
      Matcher type = TYPE.matcher(text);
      while (type.find()) {
        assertTrue(Files.exists(directory.resolve(type.group(1) + ".java")), type.group());
      }
    }
  }

  private static List<Path> packages() throws IOException {
    List<Path> roots = new ArrayList<>(List.of(ROOT.resolve("examples/gallery")));
    try (Stream<Path> modules = Files.list(ROOT)) {
      modules.forEach(roots::add);
    }
    List<Path> packages = new ArrayList<>();
    for (Path root : roots) {
      Path sources = root.resolve("src/main/java");
      if (Files.isDirectory(sources)) {
        try (Stream<Path> files = Files.walk(sources)) {
          files
              .filter(file -> file.toString().endsWith(".java"))
              .map(Path::getParent)
              .filter(directory -> !directory.equals(sources)) // module-info.java
              .distinct()
              .forEach(packages::add);
        }
      }
    }
    assertTrue(packages.size() > 40, "packages found: " + packages.size());
    return packages;
  }
}
