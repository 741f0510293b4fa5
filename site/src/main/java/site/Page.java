package site;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * A Markdown page of the project.
 *
 * @param path the path below the root of the project
 * @param text the Markdown of the page
 */
record Page(Path path, String text) {
  /** The directories that hold build products or pages that are not for readers. */
  private static final List<String> NOT_READ = List.of("build", "out", "src", "node_modules");

  /** Returns all pages below a directory, in the order of their names. */
  static List<Page> below(Path root) throws IOException {
    List<Page> pages = new ArrayList<>();
    for (Path path : files(root)) {
      pages.add(new Page(root.relativize(path), Files.readString(path)));
    }
    return pages;
  }

  private static List<Path> files(Path directory) throws IOException {
    List<Path> found = new ArrayList<>();
    List<Path> entries;
    try (Stream<Path> all = Files.list(directory)) {
      entries = all.sorted().toList();
    }
    for (Path entry : entries) {
      String name = entry.getFileName().toString();
      if (Files.isDirectory(entry)) {
        if (!name.startsWith(".") && !NOT_READ.contains(name)) {
          found.addAll(files(entry));
        }
      } else if (name.endsWith(".md")) {
        found.add(entry);
      }
    }
    return found;
  }

  /** Returns the path of its HTML: a README is the index of its directory. */
  Path html() {
    String name = path.getFileName().toString();
    String html = name.equals("README.md") ? "index.html" : name.replaceFirst("\\.md$", ".html");
    return path.resolveSibling(html);
  }

  /** Returns the first heading, or the name of the file. */
  String title() {
    return headings().stream()
        .findFirst()
        .map(Markdown.Heading::text)
        .orElse(path.getFileName().toString());
  }

  List<Markdown.Heading> headings() {
    return new Markdown(text, target -> target).headings();
  }

  /** Returns the targets of all links and pictures, as they are written. */
  List<String> targets() {
    List<String> targets = new ArrayList<>();
    new Markdown(
        text,
        target -> {
          targets.add(target);
          return target;
        });
    return targets;
  }

  /** Returns the file that a target without its anchor leads to, below the root of the project. */
  Path resolve(String target) {
    String file = target.replaceFirst("#.*", "");
    return file.isEmpty() ? path : path.resolveSibling(file).normalize();
  }

  /** Returns whether a target leads out of the project. */
  static boolean isForeign(String target) {
    return target.matches("[a-z]+:.*");
  }
}
