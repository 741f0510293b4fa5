package io.perflow.cli;

import java.io.Console;
import java.io.PrintWriter;

/**
 * Where people watch how far a command is: standard error, as a line that is drawn anew on a
 * terminal and as plain lines elsewhere.
 *
 * @param writer of standard error; null when nobody watches
 * @param terminal whether it is a terminal
 */
record Screen(PrintWriter writer, boolean terminal) {
  /** Shows nothing. */
  static final Screen NONE = new Screen(null, false);

  /** Set by the launcher, which can ask whether standard error is a terminal, as Java cannot. */
  private static final String TERMINAL = "perflow.terminal";

  /** Standard error of this process. */
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
