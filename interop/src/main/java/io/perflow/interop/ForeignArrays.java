package io.perflow.interop;

import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/**
 * The arrays of numbers in a file of another tool, with their axes as that tool's users count them:
 * a MATLAB array (N, S, S) has shape [N, S, S] here, however the file stores it.
 */
interface ForeignArrays extends AutoCloseable {
  /** Returns the contents of the file. */
  Contents contents();

  /**
   * Loads some entries of an array along its first axis; of an array without axes always its one
   * number.
   */
  Tensor load(String name, int first, int count) throws IOException;

  /** Returns the names of the arrays of numbers. */
  default Set<String> names() throws IOException {
    return contents().arrays().keySet();
  }

  /** Returns the extents of an array. */
  default int[] shape(String name) throws IOException {
    return contents().arrays().get(name).shape().stream().mapToInt(Integer::intValue).toArray();
  }

  /** Loads the first {@code samples} entries of an array along its first axis. */
  default Tensor load(String name, int samples) throws IOException {
    return load(name, 0, samples);
  }

  @Override
  void close() throws IOException;

  /** The formats that are read. */
  String KINDS = "HDF5, MATLAB 5.0, MATLAB 7.3, NetCDF, npy and npz";

  /** The message of the error about a file of another kind. */
  String UNKNOWN = "is none of " + KINDS;

  /** Returns whether a file begins like one of the formats that are read. */
  static boolean isKnown(Path file) throws IOException {
    return Format.of(file) != null;
  }

  /**
   * Opens a file in the format that its first bytes show, whatever its name is.
   *
   * @throws FileFormatException when it is of none of the known formats
   */
  static ForeignArrays open(Path file) throws IOException {
    if (Files.isDirectory(file)) {
      throw new FileFormatException(file.toString(), null, "is a directory, not a file");
    }
    return switch (Format.of(file)) {
      case HDF -> HdfArrays.open(file);
      case MATLAB -> MatArrays.open(file);
      case NETCDF -> NetcdfArrays.open(file);
      case NPY -> NpyArrays.open(file);
      case NPZ -> NpzArrays.open(file);
      case null -> throw new FileFormatException(file.toString(), null, UNKNOWN);
    };
  }

  /** The formats, recognized by their first bytes. */
  enum Format {
    HDF("\u0089HDF\r\n", "MATLAB 7.3"),
    MATLAB("MATLAB 5.0"),
    NETCDF("CDF\u0001", "CDF\u0002", "CDF\u0005"),
    NPY("\u0093NUMPY"),
    NPZ("PK");

    private final String[] heads;

    Format(String... heads) {
      this.heads = heads;
    }

    /** Returns the format of a file, or null. */
    static Format of(Path file) throws IOException {
      String head;
      try (InputStream in = Files.newInputStream(file)) {
        head = new String(in.readNBytes(16), StandardCharsets.ISO_8859_1);
      }
      for (Format format : values()) {
        for (String start : format.heads) {
          if (head.startsWith(start)) {
            return format;
          }
        }
      }
      return null;
    }
  }
}
