package io.perflow.tensor.io;

import io.perflow.tensor.Shape;
import java.io.EOFException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** The file, and perhaps its entry, that a reader is processing, as its messages name it. */
record Location(String file, String entry) {
  /** The largest number of axes of an array; NumPy's own limit. */
  static final int MAX_RANK = 64;

  /** The largest number of elements of a tensor: the longest array of the JVM. */
  private static final long MAX_SIZE = Integer.MAX_VALUE - 8;

  /** Returns a file that is about to be read. */
  static Location of(Path file) throws FileFormatException {
    Location at = new Location(file.toString(), null);
    if (Files.isDirectory(file)) {
      throw at.error("is a directory, not a file");
    }
    return at;
  }

  Location entry(String name) {
    return new Location(file, name);
  }

  /** Returns the exception to throw about this place. */
  FileFormatException error(String problem, Object... args) {
    return new FileFormatException(
        file, entry, args.length == 0 ? problem : problem.formatted(args));
  }

  /** Returns the exception to throw about this place, with another exception as its cause. */
  FileFormatException error(Exception cause, String problem) {
    String reason = cause instanceof EOFException ? "it ends too early" : cause.getMessage();
    return new FileFormatException(file, entry, problem + ": " + reason, cause);
  }

  /**
   * Refuses an allocation larger than the memory that Java may use.
   *
   * @param what needs the memory, such as {@code the header}
   */
  void checkMemory(String what, double bytes) throws FileFormatException {
    long most = Runtime.getRuntime().maxMemory();
    if (bytes > most) {
      throw outOfMemory(what, bytes);
    }
  }

  /** Returns the exception to throw when there is too little memory for something. */
  FileFormatException outOfMemory(String what, double bytes) {
    return error(
        "%s needs %.0f MB of memory, and Java may use %d MB; give it more (-Xmx, for the command"
            + " PERFLOW_OPTS=-Xmx8g) or make the file smaller",
        what, Math.ceil(bytes / (1 << 20)), Runtime.getRuntime().maxMemory() >> 20);
  }

  /** Decodes UTF-8 and refuses malformed bytes. */
  String utf8(String what, byte[] bytes) throws FileFormatException {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw error("%s is not UTF-8; save it as UTF-8", what);
    }
  }

  /**
   * Returns the shape of a tensor for extents that a file claims; for complex numbers with the axis
   * (re, im) added at the end.
   */
  Shape shape(long[] extents, boolean complex) throws FileFormatException {
    if (extents.length + (complex ? 1 : 0) > MAX_RANK) {
      throw error("the shape has %d axes, at most %d are read", extents.length, MAX_RANK);
    }
    int[] shape = new int[extents.length + (complex ? 1 : 0)];
    Arrays.fill(shape, 2);
    for (int i = 0; i < extents.length; i++) {
      if (extents[i] < 0) {
        throw error("negative extent in shape %s", Arrays.toString(extents));
      }
      if (extents[i] > MAX_SIZE) {
        throw tooLarge(extents);
      }
      shape[i] = (int) extents[i];
    }
    boolean empty = Arrays.stream(shape).anyMatch(extent -> extent == 0);
    long size = empty ? 0 : 1;
    for (int extent : shape) {
      size *= extent; // below 2^62: both factors are below 2^31
      if (size > MAX_SIZE) {
        throw tooLarge(extents);
      }
    }
    return Shape.of(shape);
  }

  private FileFormatException tooLarge(long[] extents) {
    return error(
        "shape %s has more elements than a tensor can hold (2^31 - 9); split the array",
        Arrays.toString(extents));
  }
}
