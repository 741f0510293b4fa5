package io.perflow.tensor.io;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A reader and writer of JSON (RFC 8259); it reads strictly and writes so that numbers come back
 * with the same bits.
 *
 * <p>An object is a {@code Map<String, Object>} in the order of the text, an array a {@code
 * List<Object>}, both unmodifiable; a number without fraction and exponent is a {@code Long}, any
 * other a {@code Double}; then {@code String}, {@code Boolean} and null. The accessors at the end
 * unpack values; their errors name what was found instead:
 *
 * <pre>{@code
 * Map<String, Object> config = Json.object(Json.read(path), "config");
 * long patch = Json.integer(config.get("patch"), "patch");
 * Json.write(path, Map.of("patch", patch, "widths", new int[] {32, 64}));
 * }</pre>
 *
 * <p>The parser refuses trailing text, duplicate keys, numbers that no double holds, nesting deeper
 * than 100, texts above 100 MB and more than two million values, so that a hostile text cannot
 * exhaust the stack or the heap.
 */
public final class Json {
  static final int MAX_DEPTH = 100;
  static final int MAX_LENGTH = 100_000_000;
  static final int MAX_VALUES = 1 << 21;

  /**
   * The number of bytes of memory for each byte of a text while it is read, as bytes, characters
   * and a string.
   */
  static final int MEMORY = 4;

  private Json() {}

  /**
   * Returns the value of a text.
   *
   * @throws FileFormatException naming line, column and position of the first error
   */
  public static Object parse(String text) throws FileFormatException {
    return parse(text, "json");
  }

  /** Returns the value of a text that came from {@code source}, which messages name. */
  public static Object parse(String text, String source) throws FileFormatException {
    return new JsonParser(text, source).parse();
  }

  /** Returns the value in a UTF-8 file. */
  public static Object read(Path file) throws IOException {
    Location at = Location.of(file);
    long size = Files.size(file);
    if (size > MAX_LENGTH) {
      throw at.error("the file has %d bytes, at most %d are read as JSON", size, MAX_LENGTH);
    }
    at.checkMemory("the text", (double) size * MEMORY);
    return parse(at.utf8("the file", Files.readAllBytes(file)), file.toString());
  }

  /**
   * Returns the text of a value on one line. Besides what {@link #parse} returns, collections,
   * arrays of {@code int}, {@code long}, {@code float}, {@code double} and objects, and all boxed
   * numbers are accepted.
   *
   * @throws IllegalArgumentException when a number is NaN or infinite, a key is not a string, or a
   *     value is of another class
   */
  public static String write(Object value) {
    return new JsonPrinter(false).print(value);
  }

  /** Returns the text of a value over several lines; arrays of plain values stay on one. */
  public static String pretty(Object value) {
    return new JsonPrinter(true).print(value);
  }

  /** Writes a file with the {@linkplain #pretty pretty} text, complete or not at all. */
  public static void write(Path file, Object value) throws IOException {
    AtomicFile.write(file, pretty(value) + "\n");
  }

  // ---- values by kind; "what" names the value in the message

  /** Returns a value that must be an object. */
  @SuppressWarnings("unchecked") // the parser and the writer use no other maps
  public static Map<String, Object> object(Object value, String what) throws FileFormatException {
    if (value instanceof Map<?, ?> map) {
      return (Map<String, Object>) map;
    }
    throw unexpected(value, what, "an object");
  }

  /** Returns a value that must be an array. */
  @SuppressWarnings("unchecked") // a list of anything is a list of objects, which is only read
  public static List<Object> list(Object value, String what) throws FileFormatException {
    if (value instanceof List<?> list) {
      return (List<Object>) list;
    }
    throw unexpected(value, what, "an array");
  }

  /** Returns a value that must be a string. */
  public static String text(Object value, String what) throws FileFormatException {
    if (value instanceof String text) {
      return text;
    }
    throw unexpected(value, what, "a string");
  }

  /** Returns a value that must be a number without fraction. */
  public static long integer(Object value, String what) throws FileFormatException {
    if (value instanceof Long number) {
      return number;
    }
    throw unexpected(value, what, "an integer");
  }

  /**
   * Returns a value that must be a number without fraction in a range.
   *
   * @param least the smallest that is allowed, which may be {@link Integer#MIN_VALUE}
   */
  public static int integer(Object value, String what, int least, int most)
      throws FileFormatException {
    long number = integer(value, what);
    if (number < least || number > most) {
      throw new FileFormatException(
          "json",
          null,
          "%s must be an integer from %d to %d, found %d".formatted(what, least, most, number));
    }
    return (int) number;
  }

  /** Returns a value that must be a number. */
  public static double number(Object value, String what) throws FileFormatException {
    if (value instanceof Number number) {
      return number.doubleValue();
    }
    throw unexpected(value, what, "a number");
  }

  /** Returns a value that must be true or false. */
  public static boolean flag(Object value, String what) throws FileFormatException {
    if (value instanceof Boolean flag) {
      return flag;
    }
    throw unexpected(value, what, "true or false");
  }

  /** Returns the kind of a value, for messages. */
  static String describe(Object value) {
    return switch (value) {
      case null -> "nothing";
      case Map<?, ?> map -> "an object of " + map.size();
      case List<?> list -> "an array of " + list.size();
      case String text -> "the string " + FileFormatException.quote(text);
      default -> value.toString();
    };
  }

  private static FileFormatException unexpected(Object value, String what, String kind) {
    return new FileFormatException(
        "json", null, what + " must be " + kind + ", found " + describe(value));
  }
}
