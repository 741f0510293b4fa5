package io.perflow.cli;

import java.io.FilterWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;

/**
 * A writer of text without control characters except tabs and line ends. Names and units come from
 * files that anyone may have written, and a terminal obeys control characters.
 */
final class PlainText extends FilterWriter {
  private PlainText(Writer out) {
    super(out);
  }

  /** Returns a writer that replaces control characters and flushes at the end of each line. */
  static PrintWriter on(Writer out) {
    return new PrintWriter(new PlainText(out), true);
  }

  private static char plain(int c) {
    boolean allowed = c == '\n' || c == '\r' || c == '\t' || !Character.isISOControl(c);
    return allowed ? (char) c : '\ufffd';
  }

  @Override
  public void write(int c) throws IOException {
    out.write(plain(c));
  }

  @Override
  public void write(char[] text, int from, int count) throws IOException {
    for (int i = from; i < from + count; i++) {
      write(text[i]);
    }
  }

  @Override
  public void write(String text, int from, int count) throws IOException {
    write(text.toCharArray(), from, count);
  }
}
