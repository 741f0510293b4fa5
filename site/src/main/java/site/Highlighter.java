package site;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A highlighter that marks comments, strings, keywords and numbers in code, and nothing finer than
 * that.
 */
final class Highlighter {
  private static final String NUMBER = "\\b\\d[\\w.]*";
  private static final String JAVA_WORDS =
      "abstract|assert|boolean|break|byte|case|catch|char|class|continue|default|do|double|else|enum|"
          + "extends|final|finally|float|for|if|implements|import|instanceof|int|interface|long|new|null|"
          + "package|private|protected|public|record|return|sealed|short|static|super|switch|this|throw|"
          + "throws|true|false|try|var|val|fun|void|while|yield";
  private static final String PYTHON_WORDS =
      "and|as|class|def|elif|else|False|for|from|if|import|in|is|lambda|None|not|or|pass|return|True|"
          + "while|with|yield";

  private static final Map<String, Pattern> LANGUAGES =
      Map.of(
          "java",
              language("//[^\\n]*|/\\*[\\s\\S]*?\\*/", "\"(?:\\\\.|[^\"\\\\\\n])*\"", JAVA_WORDS),
          "kotlin", language("//[^\\n]*", "\"(?:\\\\.|[^\"\\\\\\n])*\"", JAVA_WORDS),
          "python", language("#[^\\n]*", "\"[^\"\\n]*\"|'[^'\\n]*'", PYTHON_WORDS),
          "", language("(?<=^|\\s)#[^\\n]*", "(?!)", "(?!)"));

  private Highlighter() {}

  private static Pattern language(String comment, String string, String words) {
    return Pattern.compile(
        "(?<comment>%s)|(?<string>%s)|(?<word>\\b(?:%s)\\b)|(?<number>%s)"
            .formatted(comment, string, words, NUMBER));
  }

  /**
   * Returns the HTML of a block of code; commands of a shell have no language, others may be
   * unknown.
   */
  static String html(String code, String language) {
    Pattern pattern = LANGUAGES.get(language);
    if (pattern == null) {
      return Inline.escape(code);
    }
    StringBuilder html = new StringBuilder();
    Matcher found = pattern.matcher(code);
    int from = 0;
    while (found.find()) {
      String kind = kind(found);
      html.append(Inline.escape(code.substring(from, found.start())));
      boolean marked = !language.isEmpty() || kind.equals("comment");
      String text = Inline.escape(found.group());
      html.append(marked ? "<span class=\"%s\">%s</span>".formatted(kind, text) : text);
      from = found.end();
    }
    return html.append(Inline.escape(code.substring(from))).toString();
  }

  private static String kind(Matcher found) {
    for (String kind : new String[] {"comment", "string", "word"}) {
      if (found.group(kind) != null) {
        return kind;
      }
    }
    return "number";
  }
}
