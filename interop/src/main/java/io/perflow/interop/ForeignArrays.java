package io.perflow.interop;

import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Npz;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/**
 * Arrays of numbers in a file of another tool, with their axes as that tool's users count them: a
 * MATLAB array (N, S, S) has shape [N, S, S] here, however the file keeps it.
 */
interface ForeignArrays extends AutoCloseable {
  /** Names of the arrays of numbers. */
  Set<String> names() throws IOException;

  /** Extents of an array. */
  int[] shape(String name) throws IOException;

  /** The first {@code samples} entries of an array along its first axis. */
  Tensor load(String name, int samples) throws IOException;

  @Override
  void close() throws IOException;

  /**
   * Opens a file by what its first bytes say, whatever its name is.
   *
   * @throws FileFormatException when it is of none of the known formats
   */
  static ForeignArrays open(Path file) throws IOException {
    if (Files.isDirectory(file)) {
      throw new FileFormatException(file.toString(), null, "is a directory, not a file");
    }
    String head;
    try (InputStream in = Files.newInputStream(file)) {
      head = new String(in.readNBytes(128), StandardCharsets.ISO_8859_1);
    }
    if (head.startsWith("\u0089HDF\r\n") || head.startsWith("MATLAB 7.3")) {
      return HdfArrays.open(file);
    }
    if (head.startsWith("MATLAB 5.0")) {
      return MatArrays.open(file);
    }
    if (head.startsWith("PK")) {
      return new NpzArrays(Npz.read(file));
    }
    throw new FileFormatException(
        file.toString(), null, "is none of HDF5, MATLAB 5.0, MATLAB 7.3 and npz");
  }
}
