package site;

import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The converter of text inside a paragraph: code, links, pictures, emphasis, and characters as they
 * are.
 */
final class Inline {
  private static final Pattern MARK =
      Pattern.compile(
          "\\\\(?<escaped>[\\\\`*_\\[\\]|<>])"
              + "|(?<ticks>`+)(?<code>.+?)\\k<ticks>"
              + "|!\\[(?<alt>[^]]*)]\\((?<picture>[^)\\s]+)\\)"
              + "|\\[(?<text>(?:`[^`]*`|[^]`])+)]\\((?<link>[^)\\s]+)\\)"
              + "|<(?<auto>https?://[^>]+)>"
              + "|\\*\\*(?<strong>.+?)\\*\\*"
              + "|\\*(?<em>[^\\s*](?:.*?\\S)??)\\*",
          Pattern.DOTALL);

  private final UnaryOperator<String> links;

  Inline(UnaryOperator<String> links) {
    this.links = links;
  }

  /** Returns the HTML of a piece of text. */
  String html(String text) {
    StringBuilder html = new StringBuilder();
    Matcher mark = MARK.matcher(text);
    int from = 0;
    while (mark.find()) {
      html.append(escape(text.substring(from, mark.start()))).append(marked(mark));
      from = mark.end();
    }
    return html.append(escape(text.substring(from))).toString();
  }

  private String marked(Matcher mark) {
    if (mark.group("escaped") != null) {
      return escape(mark.group("escaped"));
    }
    if (mark.group("code") != null) {
      return "<code>%s</code>".formatted(escape(mark.group("code").strip()));
    }
    if (mark.group("picture") != null) {
      String target = links.apply(mark.group("picture"));
      return "<img src=\"%s\" alt=\"%s\">".formatted(escape(target), escape(mark.group("alt")));
    }
    if (mark.group("link") != null) {
      return anchor(links.apply(mark.group("link")), html(mark.group("text")));
    }
    if (mark.group("auto") != null) {
      return anchor(mark.group("auto"), escape(mark.group("auto")));
    }
    return mark.group("strong") != null
        ? "<strong>%s</strong>".formatted(html(mark.group("strong")))
        : "<em>%s</em>".formatted(html(mark.group("em")));
  }

  private static String anchor(String target, String html) {
    return "<a href=\"%s\">%s</a>".formatted(escape(target), html);
  }

  /** Returns the text with the characters escaped that have a meaning in HTML. */
  static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
