package site;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MarkdownTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      value = {
        "a *b* **c** ~ <p>a <em>b</em> <strong>c</strong></p>",
        "2 * 3 * 4 ~ <p>2 * 3 * 4</p>",
        "`a < *b*` ~ <p><code>a &lt; *b*</code></p>",
        "``a ` b`` ~ <p><code>a ` b</code></p>",
        "[x `y`](z.md#q) ~ <p><a href=\"to/z.md#q\">x <code>y</code></a></p>",
        "![x](y.png) ~ <p><img src=\"to/y.png\" alt=\"x\"></p>",
        "<https://a.b/c> ~ <p><a href=\"https://a.b/c\">https://a.b/c</a></p>",
        "\\*a\\* ~ <p>*a*</p>",
        "H Cᵀ (H C Hᵀ + R)⁻¹ ~ <p>H Cᵀ (H C Hᵀ + R)⁻¹</p>",
      })
  void inlineMarks(String text, String html) {
    assertEquals(html, html(text));
  }

  @Test
  void tables() {
    assertEquals(
        "<div class=\"table\"><table>\n<thead><tr><th>a</th><th>b</th></tr>\n</thead>\n<tbody>\n"
            + "<tr><td><code>x|y</code></td><td>1 | 2</td></tr>\n</tbody></table></div>",
        html("| a | b |\n|---|---|\n| `x|y` | 1 \\| 2 |"));
  }

  @Test
  void lists() {
    assertEquals(
        "<ul>\n"
            + "<li>one\n"
            + "goes on</li>\n"
            + "<li>two\n"
            + "<ol>\n"
            + "<li>inner</li>\n"
            + "</ol></li>\n"
            + "</ul>\n"
            + "<p>after</p>",
        html("- one\n  goes on\n- two\n  1. inner\n\nafter"));
  }

  @Test
  void anItemMayHoldCode() {
    String html = html("1. do\n\n   ```\n   x\n   ```\n2. done");
    assertTrue(html.contains("<pre><code>x\n</code></pre>"), html);
    assertTrue(html.endsWith("<li>done</li>\n</ol>"), html);
  }

  @Test
  void codeKeepsEveryCharacter() {
    String html = html("```java\nint i = 1; // <i>\nString s = \"a\";\n```");
    assertEquals(
        "int i = 1; // <i>\nString s = \"a\";\n",
        html.replaceAll("<[^>]*>", "")
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&quot;", "\""));
    assertTrue(html.contains("<span class=\"comment\">// &lt;i&gt;</span>"), html);
    assertTrue(html.contains("<span class=\"word\">int</span>"), html);
  }

  @Test
  void headingsHaveTheAnchorsOfGitHub() {
    var page = new Markdown("# `a` & B: c-d, e?\n## Same\n## Same\n## u_x [l](m)", t -> t);
    assertEquals(
        List.of("a--b-c-d-e", "same", "same-1", "u_x-l"),
        page.headings().stream().map(Markdown.Heading::anchor).toList());
  }

  @Test
  void quotesAndHtmlBlocks() {
    assertEquals(
        "<blockquote>\n<p>a\nb</p>\n</blockquote>\n<pre>\n*x*\n</pre>",
        html("> a\n> b\n\n<pre>\n*x*\n</pre>"));
  }

  private static String html(String markdown) {
    return new Markdown(markdown, target -> "to/" + target).html().strip();
  }
}
