package site;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SiteTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern TARGET = Pattern.compile("(?:href|src)=\"([^\"#]+)(?:#([^\"]*))?\"");

  @TempDir private Path directory;

  @Test
  void noLinkInAnyPageLeadsNowhere() throws IOException {
    List<Page> pages = Page.below(ROOT);
    assertTrue(pages.size() > 20, "pages found: " + pages.size());
    assertEquals("", String.join("\n", Links.broken(ROOT, pages)));
  }

  @Test
  void everyPageOfDocsIsInTheContents() throws IOException {
    Page contents =
        new Page(Path.of("docs/README.md"), Files.readString(ROOT.resolve("docs/README.md")));
    List<Path> listed = contents.targets().stream().map(contents::resolve).toList();
    List<Path> missing =
        Page.below(ROOT).stream()
            .map(Page::path)
            .filter(p -> p.getParent() != null && p.getParent().equals(Path.of("docs")))
            .filter(p -> !p.equals(contents.path()) && !listed.contains(p))
            .toList();
    assertEquals(List.of(), missing);
  }

  @Test
  void theSiteIsWhole() throws IOException {
    Site.write(ROOT, directory, "https://example.org/x");
    String index = Files.readString(directory.resolve("index.html"));
    assertTrue(index.contains("href=\"docs/your-own-data.html\""), "navigation");
    List<String> broken = new ArrayList<>();
    for (Path file : files(directory)) {
      if (file.toString().endsWith(".html")) {
        String html = Files.readString(file);
        TARGET.matcher(html).results().forEach(m -> check(file, m.group(1), broken));
      }
    }
    assertEquals(List.of(), broken);
  }

  private void check(Path file, String target, List<String> broken) {
    boolean outside = Page.isForeign(target) || target.endsWith("api/index.html");
    if (!outside && Files.notExists(file.resolveSibling(target))) {
      broken.add(directory.relativize(file) + " links to " + target);
    }
  }

  @Test
  void aBrokenLinkIsNamed() throws IOException {
    Path docs = Files.createDirectories(directory.resolve("project/docs"));
    Files.writeString(docs.resolve("README.md"), "# A\n[b](b.md#there) [c](c.md) [d](b.md#not)");
    Files.writeString(docs.resolve("b.md"), "# There\n");
    Path root = directory.resolve("project");
    List<String> broken = Links.broken(root, Page.below(root));
    assertEquals(
        List.of(
            "docs/README.md links to c.md: there is no such file",
            "docs/README.md links to b.md#not: there is no such heading"),
        broken);
    assertThrows(
        IllegalArgumentException.class, () -> Site.write(root, directory.resolve("out"), "x"));
    assertFalse(Files.exists(directory.resolve("out")));
  }

  private static List<Path> files(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(Files::isRegularFile).toList();
    }
  }
}
