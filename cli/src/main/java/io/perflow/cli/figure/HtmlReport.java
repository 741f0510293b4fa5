package io.perflow.cli.figure;

import io.perflow.tensor.io.AtomicFile;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * A page of text, tables and figures in one file that needs nothing else: images are inside, and
 * nothing is loaded from anywhere.
 *
 * <pre>{@code
 * HtmlReport.of("Burgers, 5 sensors")
 *     .table(List.of("system", "Rel-ℓ2"), List.of(List.of("PerFlow", "0.086")))
 *     .figure(figure, "One field of the test set.")
 *     .configuration("Configuration", Map.of("seed", 42))
 *     .write(Path.of("report.html"));
 * }</pre>
 */
public final class HtmlReport {
  private static final String STYLE =
      """
      :root { color-scheme: light dark; --ground: #fff; --ink: #1f2328; --soft: #57606a;
              --line: #e7e9ed; --rule: #3d444d; --code: #f6f7f9; --lead: #0072b2; }
      @media (prefers-color-scheme: dark) {
        :root { --ground: #12161d; --ink: #e6eaf1; --soft: #a9b1bd; --line: #2b333f;
                --rule: #b4bdca; --code: #1b212b; --lead: #3d9bdc; }
      }
      body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground);
             max-width: 82rem; margin: 2.5rem auto; padding: 0 1.2rem; }
      h1 { font-size: 1.9rem; line-height: 1.2; } h2 { font-size: 1.35rem; margin-top: 2.2rem; }
      p { max-width: 48rem; }
      .lead { font-size: 1.15rem; border-left: 4px solid var(--lead); padding-left: 1rem; }
      .wide { overflow-x: auto; }
      table { border-collapse: collapse; margin: 1.2rem 0; font-variant-numeric: tabular-nums; }
      th, td { padding: .35rem .9rem; text-align: left; }
      thead th { border-bottom: 2px solid var(--rule); vertical-align: bottom; }
      tbody tr { border-bottom: 1px solid var(--line); }
      .number { text-align: right; }
      figure { margin: 1.6rem 0; } img { display: block; max-width: 100%; height: auto; }
      @media (max-width: 45rem) { .wide img { max-width: none; width: auto; height: 17rem; } }
      figcaption { color: var(--soft); max-width: 48rem; margin-top: .6rem; }
      pre { background: var(--code); padding: 1rem; overflow-x: auto; font-size: .85rem; }
      """;

  // The last line is a checksum of all bytes before it.
  private static final String SUM = "<!-- crc32c %08x -->\n";
  private static final Pattern SUM_LINE = Pattern.compile("<!-- crc32c [0-9a-f]{8} -->\n");

  private final String title;
  private final StringBuilder body = new StringBuilder();

  private HtmlReport(String title) {
    this.title = title;
  }

  /** Returns an empty page with a title. */
  public static HtmlReport of(String title) {
    return new HtmlReport(title);
  }

  /** Adds a heading. */
  public HtmlReport section(String heading) {
    return line("<h2>%s</h2>".formatted(escape(heading)));
  }

  /** Adds the key sentence, set apart. */
  public HtmlReport lead(String sentence) {
    return line("<p class=\"lead\">%s</p>".formatted(prose(sentence)));
  }

  /** Adds commands or other lines to copy. */
  public HtmlReport lines(String... lines) {
    return line("<pre>%s</pre>".formatted(escape(String.join("\n", lines))));
  }

  /** Adds a paragraph. */
  public HtmlReport text(String paragraph) {
    return line("<p>%s</p>".formatted(prose(paragraph)));
  }

  /**
   * Adds a table; cells that start with a digit, or with a sign and a digit, are aligned to the
   * right.
   *
   * @throws IllegalArgumentException when the number of cells in a row differs from the header's
   */
  public HtmlReport table(List<String> header, List<List<String>> rows) {
    line("<div class=\"wide\"><table>\n<thead>");
    row("th", header, !rows.isEmpty() ? rows.getFirst() : header);
    line("</thead>\n<tbody>");
    for (List<String> row : rows) {
      if (row.size() != header.size()) {
        throw new IllegalArgumentException(
            "a table row has %d cells under a header of %d: %s"
                .formatted(row.size(), header.size(), row));
      }
      row("td", row, row);
    }
    return line("</tbody>\n</table></div>");
  }

  // A header is aligned like the cells below it.
  private void row(String tag, List<String> cells, List<String> alignedAs) {
    body.append("<tr>");
    for (int i = 0; i < cells.size(); i++) {
      boolean number = alignedAs.get(i).matches("[-−+±<≤]?\\s?[0-9].*");
      body.append('<').append(tag).append(number ? " class=\"number\">" : ">");
      body.append(escape(cells.get(i))).append("</").append(tag).append('>');
    }
    line("</tr>");
  }

  /**
   * Adds a figure with a caption, drawn for light and for dark pages, at half its pixels so that it
   * is sharp on fine displays.
   */
  public HtmlReport figure(Figure figure, String caption) {
    Png light = figure.png(Theme.LIGHT);
    String text = prose(caption);
    line("<figure><div class=\"wide\"><picture>");
    line(
        "<source srcset=\"%s\" media=\"(prefers-color-scheme: dark)\">"
            .formatted(figure.png(Theme.DARK).dataUri()));
    line(
        "<img src=\"%s\" width=\"%d\" height=\"%d\" alt=\"%s\">"
            .formatted(
                light.dataUri(),
                light.width() / Canvas.SCALE,
                light.height() / Canvas.SCALE,
                text));
    return line("</picture></div>\n<figcaption>%s</figcaption></figure>".formatted(text));
  }

  /** Adds a value that {@link Json} can write, under a heading that opens on a click. */
  public HtmlReport configuration(String heading, Object json) {
    return line(
        "<details><summary>%s</summary>\n<pre>%s</pre></details>"
            .formatted(escape(heading), escape(Json.pretty(json))));
  }

  /** Returns the page, which ends with its checksum. */
  public String html() {
    String page =
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta http-equiv="Content-Security-Policy"
          content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
        <title>%s</title>
        <style>
        %s</style>
        </head>
        <body>
        <h1>%s</h1>
        %s</body>
        </html>
        """
            .formatted(escape(title), STYLE, escape(title), body);
    return page + sum(page.getBytes(StandardCharsets.UTF_8));
  }

  /** Writes the file, complete or not at all. */
  public void write(Path file) throws IOException {
    AtomicFile.write(file, html());
  }

  /**
   * Verifies the checksum of a file.
   *
   * @throws FileFormatException when it differs or is missing
   */
  public static void verify(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    byte[] page = Arrays.copyOf(bytes, Math.max(0, bytes.length - sum(bytes).length()));
    String last =
        new String(bytes, page.length, bytes.length - page.length, StandardCharsets.ISO_8859_1);
    if (!last.equals(sum(page))) {
      throw new FileFormatException(
          file.toString(),
          null,
          SUM_LINE.matcher(last).matches()
              ? "is damaged: its checksum differs"
              : "ends without a checksum: it is cut short, or not a report of this version");
    }
  }

  private static String sum(byte[] page) {
    CRC32C sum = new CRC32C();
    sum.update(page);
    return SUM.formatted((int) sum.getValue());
  }

  private HtmlReport line(String html) {
    body.append(html).append('\n');
    return this;
  }

  // A number and its per cent sign stay on one line.
  private static String prose(String text) {
    return escape(text).replace(" %", "&nbsp;%");
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
