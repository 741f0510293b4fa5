package io.perflow.tensor.io;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A recursive-descent parser of one text; its limits are those of {@link Json}. */
final class JsonParser {
  /** The longest literal of a number; the exact decimal form of any double fits. */
  private static final int MAX_NUMBER = 1100;

  private final String text;
  private final String source;
  private int at;
  private int depth;
  private int values;

  JsonParser(String text, String source) {
    this.text = text;
    this.source = source;
  }

  Object parse() throws FileFormatException {
    if (text.length() > Json.MAX_LENGTH) {
      throw error("the text has " + text.length() + " characters, at most " + Json.MAX_LENGTH);
    }
    Object value = value();
    skipSpace();
    if (at < text.length()) {
      throw error("unexpected " + found() + " after the value");
    }
    return value;
  }

  private Object value() throws FileFormatException {
    skipSpace();
    if (++values > Json.MAX_VALUES) {
      throw error("more than " + Json.MAX_VALUES + " values");
    }
    return switch (peek()) {
      case '{' -> object();
      case '[' -> array();
      case '"' -> string();
      case 't' -> word("true", Boolean.TRUE);
      case 'f' -> word("false", Boolean.FALSE);
      case 'n' -> word("null", null);
      case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' -> number();
      default -> throw error("expected a value, found " + found());
    };
  }

  private Map<String, Object> object() throws FileFormatException {
    enter();
    Map<String, Object> members = new LinkedHashMap<>();
    if (!closes('}')) {
      do {
        skipSpace();
        int start = at;
        if (peek() != '"') {
          throw error("expected a key in double quotes, found " + found());
        }
        String key = string();
        if (members.containsKey(key)) {
          at = start;
          throw error("the key " + FileFormatException.quote(key) + " appears twice");
        }
        skipSpace();
        expect(':');
        members.put(key, value());
      } while (continues('}'));
    }
    depth--;
    return Collections.unmodifiableMap(members);
  }

  private List<Object> array() throws FileFormatException {
    enter();
    List<Object> elements = new ArrayList<>();
    if (!closes(']')) {
      do {
        elements.add(value());
      } while (continues(']'));
    }
    depth--;
    return Collections.unmodifiableList(elements);
  }

  private void enter() throws FileFormatException {
    if (++depth > Json.MAX_DEPTH) {
      throw error("nested deeper than " + Json.MAX_DEPTH);
    }
    at++;
  }

  private boolean closes(char close) {
    skipSpace();
    if (peek() == close) {
      at++;
      return true;
    }
    return false;
  }

  private boolean continues(char close) throws FileFormatException {
    if (closes(close)) {
      return false;
    }
    if (peek() != ',') {
      throw error("expected ',' or '" + close + "', found " + found());
    }
    at++;
    return true;
  }

  private String string() throws FileFormatException {
    at++;
    int plain = at; // start of a stretch without escapes
    StringBuilder unescaped = null;
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c == '"') {
        String tail = text.substring(plain, at++);
        return unescaped == null ? tail : unescaped.append(tail).toString();
      }
      if (c < ' ') {
        throw error("control character in a string; write it as \\u%04x".formatted((int) c));
      }
      at++;
      if (c == '\\') {
        unescaped = unescaped == null ? new StringBuilder() : unescaped;
        unescaped.append(text, plain, at - 1).append(escape());
        plain = at;
      }
    }
    throw error("the text ends inside a string");
  }

  private char escape() throws FileFormatException {
    char c = peek();
    int known = "\"\\/bfnrt".indexOf(c);
    if (known >= 0) {
      at++;
      return "\"\\/\b\f\n\r\t".charAt(known);
    }
    if (c != 'u') {
      throw error("unknown escape \\ followed by " + found());
    }
    at++;
    int code = 0;
    for (int i = 0; i < 4; i++, at++) {
      int digit = peek() < 128 ? Character.digit(peek(), 16) : -1;
      if (digit < 0) {
        throw error("expected four hexadecimal digits, found " + found());
      }
      code = code << 4 | digit;
    }
    return (char) code;
  }

  private Object word(String word, Object value) throws FileFormatException {
    if (!text.startsWith(word, at)) {
      throw error("expected a value, found " + found());
    }
    at += word.length();
    return value;
  }

  private Object number() throws FileFormatException {
    int start = at;
    if (peek() == '-') {
      at++;
    }
    boolean leadingZero = peek() == '0';
    int digits = digits();
    if (leadingZero && digits > 1) {
      at = start;
      throw error("a number must not start with 0");
    }
    boolean integral = true;
    if (peek() == '.') {
      integral = false;
      at++;
      digits();
    }
    if (peek() == 'e' || peek() == 'E') {
      integral = false;
      at++;
      if (peek() == '+' || peek() == '-') {
        at++;
      }
      digits();
    }
    int end = at;
    at = start; // for messages
    if (end - start > MAX_NUMBER) {
      throw error("a number of " + (end - start) + " characters");
    }
    Object number = convert(text.substring(start, end), integral);
    at = end;
    return number;
  }

  private Object convert(String literal, boolean integral) throws FileFormatException {
    // -0 is read as a double, because integers have no negative zero.
    if (integral && !literal.equals("-0")) {
      try {
        return Long.valueOf(literal);
      } catch (NumberFormatException e) {
        // An integer beyond 64 bits becomes a double.
      }
    }
    double number = Double.parseDouble(literal);
    if (Double.isInfinite(number)) {
      throw error("the number " + FileFormatException.quote(literal) + " exceeds a double");
    }
    return number;
  }

  private int digits() throws FileFormatException {
    int start = at;
    while (peek() >= '0' && peek() <= '9') {
      at++;
    }
    if (at == start) {
      throw error("expected a digit, found " + found());
    }
    return at - start;
  }

  private void skipSpace() {
    while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private void expect(char c) throws FileFormatException {
    if (peek() != c) {
      throw error("expected '" + c + "', found " + found());
    }
    at++;
  }

  /** Returns the next character; at the end NUL, which no rule accepts. */
  private char peek() {
    return at < text.length() ? text.charAt(at) : 0;
  }

  private String found() {
    return at < text.length() ? "'" + Character.toString(text.codePointAt(at)) + "'" : "the end";
  }

  private FileFormatException error(String problem) {
    int line = 1;
    int lineStart = 0;
    for (int i = 0; i < at; i++) {
      if (text.charAt(i) == '\n') {
        line++;
        lineStart = i + 1;
      }
    }
    String place = "line %d, column %d (position %d): ".formatted(line, at - lineStart + 1, at);
    return new FileFormatException(source, null, place + problem);
  }
}
