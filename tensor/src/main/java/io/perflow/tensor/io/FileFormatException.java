package io.perflow.tensor.io;

import java.io.IOException;

/**
 * Thrown when the contents of a file are invalid. The message is one line: the file, the entry in
 * it, the fault with the numbers that show it, and the cure if there is an obvious one.
 *
 * <pre>{@code
 * weights.safetensors: entry 'stem.weight': data_offsets [0, 12] hold 12 bytes, F32 [2, 2] needs 16
 * }</pre>
 */
public final class FileFormatException extends IOException {
  private static final long serialVersionUID = 1;

  /** The longest piece of a file's own text that a message repeats. */
  private static final int MAX_QUOTE = 120;

  /**
   * Creates an exception about an entry of a file.
   *
   * @param file usually a path; null if only the caller knows the file and will name it
   * @param entry the entry's name, or null for the whole file
   * @param problem the fault and the cure
   */
  public FileFormatException(String file, String entry, String problem) {
    this(file, entry, problem, null);
  }

  /** Creates an exception about an entry of a file, with the exception that reported the fault. */
  public FileFormatException(String file, String entry, String problem, Throwable cause) {
    super(message(file, entry, problem), cause);
  }

  private static String message(String file, String entry, String problem) {
    String where = entry == null ? "" : "entry " + quote(entry) + ": ";
    return (file == null ? "" : file + ": ") + where + oneLine(problem);
  }

  /** Returns a text from a file between quotes, shortened if it is long. */
  static String quote(String text) {
    if (text.length() <= MAX_QUOTE) {
      return "'" + oneLine(text) + "'";
    }
    return "'" + oneLine(text.substring(0, MAX_QUOTE)) + "…' (" + text.length() + " characters)";
  }

  // A hostile name must not forge lines of a log or move the cursor of a terminal.
  private static String oneLine(String text) {
    StringBuilder clean = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      clean.append(Character.isISOControl(c) || c == '\u2028' || c == '\u2029' ? '\ufffd' : c);
    }
    return clean.toString();
  }
}
