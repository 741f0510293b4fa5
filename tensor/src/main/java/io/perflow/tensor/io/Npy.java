package io.perflow.tensor.io;

import io.perflow.tensor.Check;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * Files that hold one array in NumPy's npy format.
 *
 * <p>Versions 1.0 to 3.0, both byte orders and both memory orders are read. Floating-point arrays
 * of 2, 4 and 8 bytes, integers of 1 to 8, booleans and complex numbers become F32 where it holds
 * every value, otherwise F64 (32-bit integers and wider, doubles); complex arrays get a last axis
 * (re, im). Files are written in version 1.0, little endian, row-major, {@code <f4} or {@code <f8}.
 *
 * @see Npz several arrays in one file
 * @see ArrayWriter writes an array in pieces
 */
public final class Npy {
  private Npy() {}

  /**
   * Reads an array. A column-major one becomes a permuted view of its memory.
   *
   * @throws FileFormatException when the file holds no npy array, another number of bytes than its
   *     shape says, or a type that is not supported
   */
  public static Tensor read(Path file) throws IOException {
    Location at = Location.of(file);
    try (FileChannel channel = FileChannel.open(file)) {
      return read(Channels.newInputStream(channel), at, channel.size());
    }
  }

  /**
   * Reads some of the entries along the first axis, and of a row-major array only their bytes.
   *
   * @throws FileFormatException as {@link #read(Path)} does
   * @throws IllegalArgumentException when the array has no first axis or not these entries
   */
  public static Tensor read(Path file, int first, int count) throws IOException {
    Location at = Location.of(file);
    try (FileChannel channel = FileChannel.open(file)) {
      InputStream in = Channels.newInputStream(channel);
      NpyHeader header = NpyHeader.read(in, at, channel.size());
      Shape shape = header.shape();
      Check.that(
          shape.rank() > 0 && first >= 0 && count >= 0 && count <= shape.dim(0) - first,
          "read",
          "%d entries from %d on are not in shape %s",
          count,
          first,
          shape);
      if (header.fortran()) { // the entries are scattered over the whole array
        return ElementReader.read(in, at, header.type(), header.order(), header.layout())
            .slice(0, first, first + count);
      }
      Shape part = shape.with(0, count);
      long entry = shape.dim(0) == 0 ? 0 : shape.size() / shape.dim(0);
      channel.position(channel.position() + first * entry * header.type().numberBytes());
      return ElementReader.read(in, at, header.type(), header.order(), Layout.contiguous(part));
    }
  }

  /**
   * Describes an array without reading its numbers.
   *
   * @throws FileFormatException when the file holds no npy array, or another number of bytes than
   *     its shape says
   */
  public static NpyInfo describe(Path file) throws IOException {
    Location at = Location.of(file);
    try (FileChannel channel = FileChannel.open(file)) {
      return NpyHeader.describe(Channels.newInputStream(channel), at, channel.size());
    }
  }

  /** Writes a tensor of any layout; the file is then complete, or unchanged if writing failed. */
  public static void write(Path file, Tensor x) throws IOException {
    AtomicFile.write(file, out -> write(out, x));
  }

  /** Starts a file for an array of this type and shape, which is written in pieces. */
  public static ArrayWriter writer(Path file, DataType type, Shape shape) throws IOException {
    return ArrayWriter.start(
        AtomicFile.create(file), header(ElementType.of(type), shape).encode(1), type, shape);
  }

  static Tensor read(InputStream in, Location at, long length) throws IOException {
    NpyHeader header = NpyHeader.read(in, at, length);
    return ElementReader.read(in, at, header.type(), header.order(), header.layout());
  }

  static void write(OutputStream out, Tensor x) throws IOException {
    out.write(header(ElementType.of(x.type()), x.shape()).encode(1));
    new ElementWriter(out, ByteOrder.LITTLE_ENDIAN).write(x);
  }

  /** Returns the header that this library writes before a row-major array. */
  static NpyHeader header(ElementType type, Shape shape) {
    return new NpyHeader(type, ByteOrder.LITTLE_ENDIAN, false, shape);
  }
}
