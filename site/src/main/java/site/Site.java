package site;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The web site: every page as HTML in the place that it has in the project, with the files that
 * pages link to. The navigation is the page {@code docs/README.md}, whose headings are its groups.
 */
public final class Site {
  private static final Path CONTENTS = Path.of("docs/README.md");
  private static final Pattern ENTRY = Pattern.compile("## (.+)|- \\[([^]]+)]\\(([^)]+)\\).*");

  private final Path root;
  private final Path out;
  private final String repository;
  private final List<Page> pages;

  private Site(Path root, Path out, String repository) throws IOException {
    this.root = root;
    this.out = out;
    this.repository = repository;
    this.pages = Page.below(root);
  }

  /**
   * Writes the site.
   *
   * @param args the root of the project, the directory to write to, and the address where the
   *     project's files can be read, for links to directories
   */
  public static void main(String[] args) throws IOException {
    write(Path.of(args[0]), Path.of(args[1]), args[2]);
  }

  /** Writes the site; a broken link is an error. */
  static void write(Path root, Path out, String repository) throws IOException {
    Site site = new Site(root, out, repository);
    List<String> broken = Links.broken(root, site.pages);
    if (!broken.isEmpty()) {
      throw new IllegalArgumentException(String.join("\n", broken));
    }
    for (Page page : site.pages) {
      site.write(page);
    }
    try (InputStream style = Site.class.getResourceAsStream("site.css")) {
      Files.copy(style, out.resolve("site.css"), StandardCopyOption.REPLACE_EXISTING);
    }
  }

  private void write(Page page) throws IOException {
    for (String target : page.targets()) {
      copy(page, target);
    }
    Markdown body = new Markdown(page.text(), target -> rewritten(page, target));
    Path file = out.resolve(page.html());
    Files.createDirectories(file.getParent());
    String top = up(page);
    Files.writeString(
        file,
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>%s</title>
        <link rel="stylesheet" href="%ssite.css">
        </head>
        <body>
        <a class="contents" href="#contents">Contents</a>
        <nav id="contents">
        %s</nav>
        <main>
        %s</main>
        </body>
        </html>
        """
            .formatted(Inline.escape(page.title()), top, navigation(page), body.html()));
  }

  /**
   * Returns the way from a page to the root of the site: nothing, or {@code ../} as often as
   * needed.
   */
  private static String up(Page page) {
    return "../".repeat(page.path().getNameCount() - 1);
  }

  private String navigation(Page current) {
    Page contents = pages.stream().filter(p -> p.path().equals(CONTENTS)).findFirst().orElseThrow();
    StringBuilder html = new StringBuilder();
    html.append("<a class=\"home\" href=\"%sindex.html\">perflow-nn</a>\n".formatted(up(current)));
    boolean open = false;
    for (String line : contents.text().lines().toList()) {
      Matcher entry = ENTRY.matcher(line);
      if (!entry.matches()) {
        continue;
      }
      if (entry.group(1) != null) {
        html.append(open ? "</ul>\n" : "");
        html.append("<h2>%s</h2>\n<ul>\n".formatted(Inline.escape(entry.group(1))));
        open = true;
      } else {
        html.append(entry(current, contents, entry.group(2), entry.group(3)));
      }
    }
    html.append(open ? "</ul>\n" : "");
    return html.append("<p><a href=\"%sapi/index.html\">Javadoc</a></p>\n".formatted(up(current)))
        .toString();
  }

  private String entry(Page current, Page contents, String text, String target) {
    boolean here = contents.resolve(target).equals(current.path());
    String href =
        Page.isForeign(target) ? target : up(current) + "docs/" + rewritten(contents, target);
    return "<li%s><a href=\"%s\">%s</a></li>\n"
        .formatted(here ? " class=\"here\"" : "", href, Inline.escape(text));
  }

  /**
   * Returns a target as it is on the site: pages are HTML, and directories are at the repository.
   */
  private String rewritten(Page page, String target) {
    if (Page.isForeign(target) || target.startsWith("#")) {
      return target;
    }
    Path file = page.resolve(target);
    if (Files.isDirectory(root.resolve(file))) {
      return repository + "/tree/main/" + file;
    }
    return target
        .replaceFirst("README\\.md(?=#|$)", "index.html")
        .replaceFirst("\\.md(?=#|$)", ".html");
  }

  private void copy(Page page, String target) throws IOException {
    Path file = page.resolve(target);
    boolean isPage = file.toString().endsWith(".md");
    if (!Page.isForeign(target) && !isPage && Files.isRegularFile(root.resolve(file))) {
      Files.createDirectories(out.resolve(file).getParent());
      Files.copy(root.resolve(file), out.resolve(file), StandardCopyOption.REPLACE_EXISTING);
    }
  }
}
