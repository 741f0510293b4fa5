package io.perflow.tensor.io;

import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** A printer of values as JSON; {@link Json#write(Object)} lists the accepted ones. */
final class JsonPrinter {
  private final boolean pretty;
  private final StringBuilder out = new StringBuilder();
  private CharSequence member; // the member whose value is being written; null before the first
  private int depth;

  JsonPrinter(boolean pretty) {
    this.pretty = pretty;
  }

  String print(Object value) {
    append(value);
    return out.toString();
  }

  private void append(Object value) {
    switch (value) {
      case null -> out.append("null");
      case Boolean flag -> out.append(flag);
      case CharSequence text -> string(text);
      case Number number -> number(number);
      case Map<?, ?> map -> object(map);
      case Collection<?> elements -> array(elements);
      default -> {
        if (!value.getClass().isArray()) {
          throw new IllegalArgumentException(
              "JSON has no place for a " + value.getClass().getName());
        }
        List<Object> elements = new ArrayList<>();
        for (int i = 0; i < Array.getLength(value); i++) {
          elements.add(Array.get(value, i));
        }
        array(elements);
      }
    }
  }

  private void object(Map<?, ?> map) {
    enter('{');
    Iterator<? extends Map.Entry<?, ?>> entries = map.entrySet().iterator();
    while (entries.hasNext()) {
      Map.Entry<?, ?> entry = entries.next();
      if (!(entry.getKey() instanceof CharSequence key)) {
        throw new IllegalArgumentException("the key " + entry.getKey() + " is not a string");
      }
      newLine();
      string(key);
      member = key;
      out.append(pretty ? ": " : ":");
      append(entry.getValue());
      if (entries.hasNext()) {
        out.append(',');
      }
    }
    leave('}', !map.isEmpty());
  }

  private void array(Collection<?> elements) {
    boolean oneLine = elements.stream().allMatch(JsonPrinter::isPlain);
    enter('[');
    Iterator<?> rest = elements.iterator();
    while (rest.hasNext()) {
      if (!oneLine) {
        newLine();
      }
      append(rest.next());
      if (rest.hasNext()) {
        out.append(oneLine && pretty ? ", " : ",");
      }
    }
    leave(']', !oneLine);
  }

  private static boolean isPlain(Object value) {
    return value == null
        || value instanceof Number
        || value instanceof Boolean
        || value instanceof CharSequence;
  }

  private void enter(char open) {
    if (++depth > Json.MAX_DEPTH) {
      throw new IllegalArgumentException("nested deeper than " + Json.MAX_DEPTH + ": a cycle?");
    }
    out.append(open);
  }

  private void leave(char close, boolean ownLine) {
    depth--;
    if (ownLine) {
      newLine();
    }
    out.append(close);
  }

  private void newLine() {
    if (pretty) {
      out.append('\n').repeat(' ', 2 * depth);
    }
  }

  // Java prints the shortest decimal that reads back as the same float or double.
  private void number(Number number) {
    if (!Double.isFinite(number.doubleValue())
        && (number instanceof Double || number instanceof Float)) {
      throw new IllegalArgumentException(
          "%s is %s, and JSON has no such number"
              .formatted(member == null ? "the value" : "member '" + member + "'", number));
    }
    out.append(number);
  }

  private void string(CharSequence text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"', '\\' -> out.append('\\').append(c);
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\t' -> out.append("\\t");
        default -> {
          if (c < ' ' || isLone(text, i)) {
            out.append("\\u%04x".formatted((int) c));
          } else {
            out.append(c);
          }
        }
      }
    }
    out.append('"');
  }

  // Half of a surrogate pair has no UTF-8 form.
  private static boolean isLone(CharSequence text, int i) {
    char c = text.charAt(i);
    if (Character.isHighSurrogate(c)) {
      return i + 1 == text.length() || !Character.isLowSurrogate(text.charAt(i + 1));
    }
    return Character.isLowSurrogate(c)
        && (i == 0 || !Character.isHighSurrogate(text.charAt(i - 1)));
  }
}
