package io.perflow.cuda.ptx;

import java.util.ArrayList;
import java.util.List;

/** A PTX text cut into words and punctuation, read from front to back. */
final class Tokens {
  private record Token(String text, int line) {}

  private final List<Token> tokens = new ArrayList<>();
  private int next;

  Tokens(String text) {
    int line = 1;
    for (int i = 0; i < text.length(); ) {
      char c = text.charAt(i);
      int end = i + 1;
      if (c == '\n') {
        line++;
      } else if (text.startsWith("//", i)) {
        end = orEnd(text, text.indexOf('\n', i));
      } else if (text.startsWith("/*", i)) {
        end = orEnd(text, text.indexOf("*/", i) + 2);
        line += (int) text.substring(i, end).chars().filter(x -> x == '\n').count();
      } else if (c == '"') {
        end = orEnd(text, text.indexOf('"', i + 1) + 1);
        tokens.add(new Token(text.substring(i, end), line));
      } else if (isWord(c)) {
        end = wordEnd(text, i);
        tokens.add(new Token(text.substring(i, end), line));
      } else if (!Character.isWhitespace(c)) {
        tokens.add(new Token(text.substring(i, end), line));
      }
      i = end;
    }
  }

  private static int orEnd(String text, int at) {
    return at <= 1 ? text.length() : at;
  }

  private static boolean isWord(char c) {
    return Character.isLetterOrDigit(c) || c == '_' || c == '$' || c == '%' || c == '.';
  }

  /** A double colon belongs to the word, as in {@code .L2::128B}; a single one ends a label. */
  private static int wordEnd(String text, int from) {
    int end = from;
    while (end < text.length()) {
      if (isWord(text.charAt(end))) {
        end++;
      } else if (text.startsWith("::", end)) {
        end += 2;
      } else {
        break;
      }
    }
    return end;
  }

  boolean atEnd() {
    return next == tokens.size();
  }

  String peek() {
    return atEnd() ? "" : tokens.get(next).text;
  }

  String peekSecond() {
    return next + 1 < tokens.size() ? tokens.get(next + 1).text : "";
  }

  int line() {
    return tokens.isEmpty() ? 0 : tokens.get(Math.min(next, tokens.size() - 1)).line;
  }

  String take() {
    if (atEnd()) {
      throw new PtxException(line(), "the text ends early");
    }
    return tokens.get(next++).text;
  }

  boolean accept(String text) {
    boolean found = peek().equals(text);
    if (found) {
      next++;
    }
    return found;
  }

  void expect(String text) {
    if (!accept(text)) {
      throw new PtxException(line(), "expected '%s', found '%s'".formatted(text, peek()));
    }
  }

  int number() {
    String word = take();
    try {
      return Integer.decode(word);
    } catch (NumberFormatException e) {
      throw new PtxException(line(), "expected a number, found '%s'".formatted(word));
    }
  }

  /** Skips to behind the next occurrence of a token. */
  void skipBehind(String text) {
    while (!take().equals(text)) {
      continue;
    }
  }
}
