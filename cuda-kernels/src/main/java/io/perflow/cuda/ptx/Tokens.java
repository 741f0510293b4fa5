package io.perflow.cuda.ptx;

import java.util.ArrayList;
import java.util.List;

/** A PTX text cut into words and punctuation, read from front to back. */
public final class Tokens {
  private record Token(String text, int line) {}

  private final List<Token> tokens = new ArrayList<>();
  private int next;

  /** Cuts a text; comments and white space are left out. */
  public Tokens(String text) {
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

  /**
   * Returns where a word ends. A double colon belongs to the word, as in {@code .L2::128B}; a
   * single one ends a label.
   */
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

  /** Returns whether everything has been read. */
  public boolean atEnd() {
    return next == tokens.size();
  }

  /** Returns the next token, without taking it; an empty string at the end. */
  public String peek() {
    return atEnd() ? "" : tokens.get(next).text;
  }

  /** Returns the token after the next; an empty string at the end. */
  public String peekSecond() {
    return next + 1 < tokens.size() ? tokens.get(next + 1).text : "";
  }

  /** Returns the line of the next token, for messages. */
  public int line() {
    return tokens.isEmpty() ? 0 : tokens.get(Math.min(next, tokens.size() - 1)).line;
  }

  /**
   * Takes the next token.
   *
   * @throws PtxException at the end of the text
   */
  public String take() {
    if (atEnd()) {
      throw new PtxException(line(), "the text ends early");
    }
    return tokens.get(next++).text;
  }

  /** Takes the next token if it is this one, and returns whether it was. */
  public boolean accept(String text) {
    boolean found = peek().equals(text);
    if (found) {
      next++;
    }
    return found;
  }

  /**
   * Takes the next token.
   *
   * @throws PtxException when it is not this one
   */
  public void expect(String text) {
    if (!accept(text)) {
      throw new PtxException(line(), "expected '%s', found '%s'".formatted(text, peek()));
    }
  }

  /**
   * Takes the next token, an integer.
   *
   * @throws PtxException when it is none
   */
  public int number() {
    String word = take();
    try {
      return Integer.decode(word);
    } catch (NumberFormatException e) {
      throw new PtxException(line(), "expected a number, found '%s'".formatted(word));
    }
  }

  /** Skips past the next occurrence of a token. */
  public void skipBehind(String text) {
    while (!take().equals(text)) {
      continue;
    }
  }
}
