package io.perflow.cli.figure;

import io.perflow.tensor.io.AtomicFile;
import io.perflow.tensor.io.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * A page of text, tables and figures in one file that needs nothing else: images are inside, and
 * nothing is loaded from anywhere.
 *
 * <pre>{@code
 * HtmlReport.of("Burgers, 5 sensors")
 *     .table(List.of("system", "Rel-ℓ2"), List.of(List.of("PerFlow", "0.086")))
 *     .figure(figure.png(), "One field of the test set.")
 *     .configuration("Configuration", Map.of("seed", 42))
 *     .write(Path.of("report.html"));
 * }</pre>
 */
public final class HtmlReport {
  private static final String STYLE =
      """
      :root { color-scheme: light; }
      body { font: 16px/1.5 system-ui, sans-serif; color: #1f2328; background: #fff;
             max-width: 82rem; margin: 2.5rem auto; padding: 0 1.5rem; }
      h1 { font-size: 1.9rem; line-height: 1.2; } h2 { font-size: 1.35rem; margin-top: 2.2rem; }
      p { max-width: 48rem; }
      table { border-collapse: collapse; margin: 1.2rem 0; font-variant-numeric: tabular-nums; }
      th, td { padding: .35rem .9rem; text-align: left; }
      thead th { border-bottom: 2px solid #3d444d; } tbody tr { border-bottom: 1px solid #e7e9ed; }
      .number { text-align: right; }
      figure { margin: 1.6rem 0; } img { max-width: 100%; height: auto; }
      figcaption { color: #57606a; max-width: 48rem; }
      pre { background: #f6f7f9; padding: 1rem; overflow-x: auto; font-size: .85rem; }
      """;

  private final String title;
  private final StringBuilder body = new StringBuilder();

  private HtmlReport(String title) {
    this.title = title;
  }

  /** An empty page with a title. */
  public static HtmlReport of(String title) {
    return new HtmlReport(title);
  }

  /** A heading. */
  public HtmlReport section(String heading) {
    return line("<h2>%s</h2>".formatted(escape(heading)));
  }

  /** A paragraph. */
  public HtmlReport text(String paragraph) {
    return line("<p>%s</p>".formatted(escape(paragraph)));
  }

  /**
   * A table; cells that start with a digit or a sign and a digit stand to the right.
   *
   * @throws IllegalArgumentException when a row has not as many cells as the header
   */
  public HtmlReport table(List<String> header, List<List<String>> rows) {
    line("<table>\n<thead>");
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
    return line("</tbody>\n</table>");
  }

  // A header stands as the cells below it.
  private void row(String tag, List<String> cells, List<String> alignedAs) {
    body.append("<tr>");
    for (int i = 0; i < cells.size(); i++) {
      boolean number = alignedAs.get(i).matches("[-−+±<≤]?\\s?[0-9].*");
      body.append('<').append(tag).append(number ? " class=\"number\">" : ">");
      body.append(escape(cells.get(i))).append("</").append(tag).append('>');
    }
    line("</tr>");
  }

  /** An image at half its pixels, sharp on fine displays, with a caption. */
  public HtmlReport figure(Png image, String caption) {
    return line(
        "<figure><img src=\"%s\" width=\"%d\" alt=\"%s\">\n<figcaption>%s</figcaption></figure>"
            .formatted(
                image.dataUri(), image.width() / Canvas.SCALE, escape(caption), escape(caption)));
  }

  /** A value that {@link Json} can write, under a heading that opens on a click. */
  public HtmlReport configuration(String heading, Object json) {
    return line(
        "<details><summary>%s</summary>\n<pre>%s</pre></details>"
            .formatted(escape(heading), escape(Json.pretty(json))));
  }

  /** The page. */
  public String html() {
    return """
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
  }

  /** Writes the file, complete or not at all. */
  public void write(Path file) throws IOException {
    byte[] bytes = html().getBytes(StandardCharsets.UTF_8);
    AtomicFile.write(file, out -> out.write(bytes));
  }

  private HtmlReport line(String html) {
    body.append(html).append('\n');
    return this;
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
