package site;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A converter of a Markdown page to HTML: headings, paragraphs, lists, tables, quotes, blocks of
 * code and HTML blocks. Headings get the anchors that GitHub gives them.
 */
final class Markdown {
  private static final Pattern HEADING = Pattern.compile("(#{1,6}) +(.*?) *#*");
  private static final Pattern ITEM = Pattern.compile("( *)([-*]|\\d+\\.) +(.*)");
  private static final Pattern RULE = Pattern.compile("\\|?( *:?-+:? *\\|)+( *:?-+:? *)?");

  /** A heading: its level, its text without marks, and its anchor. */
  record Heading(int level, String text, String anchor) {}

  private final List<String> lines;
  private final Inline inline;
  private final StringBuilder html = new StringBuilder();
  private final List<Heading> headings = new ArrayList<>();
  private final Map<String, Integer> anchors = new HashMap<>();
  private int at;

  /**
   * Converts a page.
   *
   * @param text the page
   * @param links converts the target of a link or a picture
   */
  Markdown(String text, UnaryOperator<String> links) {
    this(text.lines().toList(), new Inline(links));
  }

  private Markdown(List<String> lines, Inline inline) {
    this.lines = lines;
    this.inline = inline;
    while (at < lines.size()) {
      block();
    }
  }

  String html() {
    return html.toString();
  }

  List<Heading> headings() {
    return List.copyOf(headings);
  }

  private void block() {
    String line = lines.get(at);
    Matcher heading = HEADING.matcher(line);
    if (line.isBlank()) {
      at++;
    } else if (line.startsWith("```")) {
      code();
    } else if (heading.matches()) {
      at++;
      heading(heading.group(1).length(), heading.group(2));
    } else if (line.startsWith("|") && at + 1 < lines.size() && isRule(lines.get(at + 1))) {
      table();
    } else if (line.startsWith(">")) {
      quote();
    } else if (ITEM.matcher(line).matches()) {
      list();
    } else if (line.startsWith("<pre") || line.startsWith("<details")) {
      raw(line.startsWith("<pre") ? "</pre>" : "</details>");
    } else {
      paragraph();
    }
  }

  private void heading(int level, String text) {
    String plain = text.replaceAll("!?\\[([^]]*)]\\([^)]*\\)", "$1").replaceAll("[`*]", "");
    String slug =
        plain
            .toLowerCase(Locale.ROOT)
            .replaceAll("[^\\p{L}\\p{M}\\p{N}_ -]", "")
            .strip()
            .replace(' ', '-');
    int earlier = anchors.merge(slug, 1, Integer::sum) - 1;
    String anchor = earlier == 0 ? slug : slug + "-" + earlier;
    headings.add(new Heading(level, plain, anchor));
    html.append("<h%d id=\"%s\">%s</h%d>\n".formatted(level, anchor, inline.html(text), level));
  }

  private void code() {
    String language = lines.get(at++).substring(3).strip();
    StringBuilder code = new StringBuilder();
    while (at < lines.size() && !lines.get(at).startsWith("```")) {
      code.append(lines.get(at++)).append('\n');
    }
    at++;
    html.append("<pre><code>").append(Highlighter.html(code.toString(), language));
    html.append("</code></pre>\n");
  }

  private void raw(String end) {
    boolean last = false;
    while (at < lines.size() && !last) {
      last = lines.get(at).contains(end);
      html.append(lines.get(at++)).append('\n');
    }
  }

  private static boolean isRule(String line) {
    return RULE.matcher(line.strip()).matches();
  }

  private void table() {
    html.append("<div class=\"table\"><table>\n<thead>");
    row("th");
    at++;
    html.append("</thead>\n<tbody>\n");
    while (at < lines.size() && lines.get(at).startsWith("|")) {
      row("td");
    }
    html.append("</tbody></table></div>\n");
  }

  private void row(String cell) {
    html.append("<tr>");
    for (String text : cells(lines.get(at++))) {
      html.append("<%s>%s</%s>".formatted(cell, inline.html(text), cell));
    }
    html.append("</tr>\n");
  }

  /** Returns the cells of a row; a bar in code or after a backslash separates none. */
  private static List<String> cells(String line) {
    String row = line.strip().replaceFirst("^\\|", "").replaceFirst("\\|$", "");
    List<String> cells = new ArrayList<>();
    StringBuilder cell = new StringBuilder();
    boolean code = false;
    for (int i = 0; i < row.length(); i++) {
      char c = row.charAt(i);
      code ^= c == '`';
      if (c == '\\' && row.startsWith("|", i + 1)) {
        cell.append(row.charAt(++i));
      } else if (c == '|' && !code) {
        cells.add(cell.toString().strip());
        cell.setLength(0);
      } else {
        cell.append(c);
      }
    }
    cells.add(cell.toString().strip());
    return cells;
  }

  private void quote() {
    List<String> inner = new ArrayList<>();
    while (at < lines.size() && lines.get(at).startsWith(">")) {
      inner.add(lines.get(at++).replaceFirst("^> ?", ""));
    }
    html.append("<blockquote>\n").append(nested(inner)).append("</blockquote>\n");
  }

  private void list() {
    Matcher first = ITEM.matcher(lines.get(at));
    first.matches();
    int indent = first.group(1).length();
    String tag = Character.isDigit(first.group(2).charAt(0)) ? "ol" : "ul";
    html.append("<").append(tag).append(">\n");
    while (at < lines.size()) {
      Matcher item = ITEM.matcher(lines.get(at));
      if (!item.matches() || item.group(1).length() != indent) {
        break;
      }
      html.append("<li>").append(item(item)).append("</li>\n");
    }
    html.append("</").append(tag).append(">\n");
  }

  // An item continues with the lines that are indented further, including blank lines between them,
  // and with those lines of its paragraph that are not.
  private String item(Matcher start) {
    List<String> inner = new ArrayList<>(List.of(start.group(3)));
    int indent = start.group(1).length();
    at++;
    while (at < lines.size()) {
      String line = lines.get(at);
      int next = at + 1;
      boolean deeper = indentOf(line) > indent;
      boolean gap = line.isBlank() && next < lines.size() && indentOf(lines.get(next)) > indent + 1;
      if (!deeper && !gap && (line.isBlank() || startsBlock(line))) {
        break;
      }
      inner.add(line.isBlank() ? "" : line.substring(Math.min(indentOf(line), start.start(3))));
      at++;
    }
    String body = nested(inner).strip();
    boolean single = body.startsWith("<p>") && body.indexOf("<p>", 1) < 0;
    return single ? body.replaceFirst("<p>", "").replaceFirst("</p>", "") : body;
  }

  private static int indentOf(String line) {
    return line.isBlank() ? 0 : line.length() - line.stripLeading().length();
  }

  private boolean startsBlock(String line) {
    return line.startsWith("```")
        || line.startsWith("|")
        || line.startsWith(">")
        || HEADING.matcher(line).matches()
        || ITEM.matcher(line).matches();
  }

  private String nested(List<String> inner) {
    return new Markdown(inner, inline).html();
  }

  private void paragraph() {
    StringBuilder text = new StringBuilder(lines.get(at++).strip());
    while (at < lines.size() && !lines.get(at).isBlank() && !startsBlock(lines.get(at))) {
      text.append('\n').append(lines.get(at++).strip());
    }
    html.append("<p>").append(inline.html(text.toString())).append("</p>\n");
  }
}
