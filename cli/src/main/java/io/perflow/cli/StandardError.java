package io.perflow.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Constructor;

/**
 * The standard error that the launcher found. Before any program runs, the JVM writes a line about
 * the incubating vector module, and it offers no option to suppress this line. The launcher
 * therefore lets the JVM write to a filter, and passes the real standard error as another file
 * descriptor, whose number is a system property.
 */
final class StandardError {
  private static final String NUMBER = "perflow.stderr";

  private StandardError() {}

  /** Redirects {@link System#err} past the filter, if the launcher has set one up. */
  static void restore() {
    Integer number = Integer.getInteger(NUMBER);
    if (number == null) {
      return;
    }
    try {
      // The launcher opens java.io for this. Opening /dev/fd/3 instead would overwrite a file from
      // its beginning.
      Constructor<FileDescriptor> open = FileDescriptor.class.getDeclaredConstructor(int.class);
      open.setAccessible(true);
      FileOutputStream real = new FileOutputStream(open.newInstance(number));
      System.setErr(new PrintStream(real, true, System.err.charset()));
    } catch (ReflectiveOperationException | RuntimeException e) {
      return; // the filter passes the text on, a line at a time
    }
  }
}
