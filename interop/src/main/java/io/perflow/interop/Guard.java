package io.perflow.interop;

import io.perflow.tensor.io.FileFormatException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.file.Path;

/**
 * A guard for libraries that trust the lengths and addresses in a file. A damaged file makes them
 * throw any exception, recurse until the stack is full, or ask for more memory than exists.
 */
final class Guard {
  private Guard() {}

  /** A call that reads. */
  interface Reading<T> {
    /** Reads. */
    T run() throws IOException;
  }

  /**
   * Reads and turns every failure into one kind of exception.
   *
   * @param entry the name of the array that is read, or null
   * @param problem the text before the reason
   */
  static <T> T read(Path file, String entry, String problem, Reading<T> reading)
      throws IOException {
    try {
      return reading.run();
    } catch (FileFormatException e) {
      throw e; // the message says it already
    } catch (IOException | RuntimeException | StackOverflowError | OutOfMemoryError e) {
      throw new FileFormatException(file.toString(), entry, problem + ": " + reason(e), e);
    }
  }

  private static String reason(Throwable e) {
    // An exception that only wraps another one says nothing but its class.
    if (e.getCause() != null && e.getCause().toString().equals(e.getMessage())) {
      return reason(e.getCause());
    }
    return switch (e) {
      case EOFException _ -> "it ends too early";
      case IndexOutOfBoundsException _,
          NegativeArraySizeException _,
          NullPointerException _,
          ArithmeticException _,
          ClassCastException _,
          BufferUnderflowException _ ->
          "its lengths and addresses do not fit together";
      case StackOverflowError _ -> "its parts point at each other in circles";
      case OutOfMemoryError _ ->
          "it asks for more than the %d MB of memory that Java may use; give it more (-Xmx), or split the file"
              .formatted(Runtime.getRuntime().maxMemory() >> 20);
      default -> e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    };
  }
}
