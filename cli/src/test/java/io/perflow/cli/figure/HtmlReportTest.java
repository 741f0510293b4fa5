package io.perflow.cli.figure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HtmlReportTest {
  private static final Figure FIGURE = Figure.of(FieldPanel.of("", Tensor.ones(2, 2)));
  private static final Png IMAGE = FIGURE.png();

  private static HtmlReport report() {
    return HtmlReport.of("Burgers & <friends>")
        .section("Errors")
        .text("5 sensors, \"noise-free\"")
        .table(
            List.of("system", "Rel-ℓ2"),
            List.of(List.of("PerFlow", "8.63e-2"), List.of("DDPM-50", "diverged")))
        .figure(FIGURE, "a <caption>")
        .configuration("Configuration", Map.of("name", "</pre><script>"));
  }

  @Test
  void thePageHoldsEverythingAndLoadsNothing() {
    String html = report().html();
    assertFalse(html.contains("http:") || html.contains("https:"), "links to elsewhere");
    assertFalse(html.contains("<script"), "text is escaped");
    assertTrue(html.contains("<h1>Burgers &amp; &lt;friends&gt;</h1>"));
    assertTrue(html.contains("&lt;/pre&gt;&lt;script&gt;"));
    Matcher image =
        Pattern.compile("data:image/png;base64,([^\"]+)\" width=\"(\\d+)\"").matcher(html);
    assertTrue(image.find());
    assertEquals(
        IMAGE.bytes().length, Base64.getDecoder().decode(image.group(1)).length, "the image");
    assertEquals(IMAGE.width() / 2, Integer.parseInt(image.group(2)));
  }

  @Test
  void numbersStandToTheRight() {
    String html = report().html();
    assertTrue(html.contains("<th>system</th><th class=\"number\">Rel-ℓ2</th>"), html);
    assertTrue(html.contains("<td>PerFlow</td><td class=\"number\">8.63e-2</td>"), html);
    assertTrue(html.contains("<td>DDPM-50</td><td>diverged</td>"), html);
  }

  @Test
  void tagsAreBalanced() {
    String html = report().html();
    for (String tag : List.of("table", "thead", "tbody", "tr", "figure", "details", "pre", "p")) {
      assertEquals(count(html, "<" + tag + "[ >]"), count(html, "</" + tag + ">"), tag);
    }
  }

  private static long count(String html, String pattern) {
    return Pattern.compile(pattern).matcher(html).results().count();
  }

  @Test
  void theFileIsThePage(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("report.html");
    report().write(file);
    assertEquals(report().html(), Files.readString(file));
  }

  @Test
  void unevenTablesAreRefused() {
    HtmlReport report = HtmlReport.of("");
    List<List<String>> rows = List.of(List.of("a", "b"));
    assertThrows(IllegalArgumentException.class, () -> report.table(List.of("x"), rows));
  }
}
