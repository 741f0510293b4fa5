package io.perflow.cli;

import java.io.Console;
import java.io.PrintWriter;

/**
 * The place where people watch the progress of a command: standard error, with a line that is
 * redrawn on a terminal and with plain lines elsewhere.
 *
 * @param writer the writer to standard error; null when nobody watches
 * @param terminal whether standard error is a terminal
 */
record Screen(PrintWriter writer, boolean terminal) {
  /** A screen that shows nothing. */
  static final Screen NONE = new Screen(null, false);

  /**
   * The property that the launcher sets, because a shell can ask whether standard error is a
   * terminal and Java cannot.
   */
  private static final String TERMINAL = "perflow.terminal";

  /** Returns the standard error of this process. */
  static Screen of(PrintWriter err) {
    String told = System.getProperty(TERMINAL);
    Console console = System.console();
    boolean guessed = console != null && console.isTerminal();
    return new Screen(err, told == null ? guessed : Boolean.parseBoolean(told));
  }

  boolean watched() {
    return writer != null;
  }
}
