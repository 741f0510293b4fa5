package io.perflow.tensor.io;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A parser of the one kind of Python dict that npy headers hold: the keys descr, fortran_order and
 * shape, each once and in any order, with a string, True or False, and a tuple of integers. It
 * understands nothing else of Python.
 */
final class NpyHeaderParser {
  private final String text;
  private final Location place;
  private int at;

  private String descr;
  private boolean fortran;
  private long[] extents;

  NpyHeaderParser(String text, Location place) {
    this.text = text;
    this.place = place;
  }

  /** The entries of the dict, not checked yet. */
  record Fields(String descr, boolean fortran, long[] extents) {}

  Fields parse() throws FileFormatException {
    Set<String> seen = new HashSet<>();
    expect('{');
    while (!accept('}')) {
      String key = string();
      if (!seen.add(key)) {
        throw error("the key " + FileFormatException.quote(key) + " appears twice");
      }
      expect(':');
      switch (key) {
        case "descr" -> descr = descr();
        case "fortran_order" -> fortran = flag();
        case "shape" -> extents = tuple();
        default -> throw error("unknown key " + FileFormatException.quote(key));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skipSpace();
    if (at < text.length()) {
      throw error("unexpected text after the dict");
    }
    if (seen.size() < 3) {
      throw error("the keys descr, fortran_order and shape are needed, found " + seen);
    }
    return new Fields(descr, fortran, extents);
  }

  private String descr() throws FileFormatException {
    skipSpace();
    return peek() == '[' || peek() == '(' ? structured() : string();
  }

  // Keeps a list of fields, each a tuple of strings and numbers, as it stands.
  private String structured() throws FileFormatException {
    int start = at;
    int open = 0;
    do {
      char c = peek();
      if (c == '\'' || c == '"') {
        string();
        continue;
      }
      if (c == 0) {
        throw error("a dtype that does not end");
      }
      open += "[(".indexOf(c) >= 0 ? 1 : "])".indexOf(c) >= 0 ? -1 : 0;
      at++;
    } while (open > 0);
    return text.substring(start, at);
  }

  private String string() throws FileFormatException {
    skipSpace();
    char quote = peek();
    if (quote != '\'' && quote != '"') {
      throw error("expected a string");
    }
    int end = text.indexOf(quote, at + 1);
    if (end < 0 || text.substring(at, end).contains("\\")) {
      throw error("a string that does not end, or holds an escape");
    }
    String string = text.substring(at + 1, end);
    at = end + 1;
    return string;
  }

  private boolean flag() throws FileFormatException {
    skipSpace();
    boolean value = text.startsWith("True", at);
    if (!value && !text.startsWith("False", at)) {
      throw error("expected True or False");
    }
    at += value ? 4 : 5;
    return value;
  }

  private long[] tuple() throws FileFormatException {
    List<Long> elements = new ArrayList<>();
    boolean comma = false;
    expect('(');
    while (!accept(')')) {
      elements.add(integer());
      comma = accept(',');
      if (!comma) {
        expect(')');
        break;
      }
    }
    if (elements.size() == 1 && !comma) {
      throw error("a shape of one axis is written (n,)");
    }
    return elements.stream().mapToLong(Long::longValue).toArray();
  }

  private long integer() throws FileFormatException {
    skipSpace();
    int start = at;
    if (peek() == '-') {
      at++;
    }
    while (peek() >= '0' && peek() <= '9') {
      at++;
    }
    String literal = text.substring(start, at);
    if (peek() == 'L') { // Python 2 wrote long integers like this
      at++;
    }
    try {
      return Long.parseLong(literal);
    } catch (NumberFormatException e) {
      at = start;
      throw error("expected an integer below 2^63");
    }
  }

  private boolean accept(char c) {
    skipSpace();
    if (peek() != c) {
      return false;
    }
    at++;
    return true;
  }

  private void expect(char c) throws FileFormatException {
    if (!accept(c)) {
      throw error("expected '" + c + "'");
    }
  }

  private void skipSpace() {
    while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private char peek() {
    return at < text.length() ? text.charAt(at) : 0;
  }

  private FileFormatException error(String problem) {
    return new FileFormatException(
        place.file(),
        place.entry(),
        "header, position " + at + ": " + problem + " in " + FileFormatException.quote(text));
  }
}
