package io.perflow.tensor.io;

import io.perflow.tensor.Check;
import io.perflow.tensor.DataType;
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
 * One array in a file, in NumPy's npy format.
 *
 * <p>Versions 1.0 to 3.0, both byte orders and both memory orders are read. Floating-point arrays
 * of 2, 4 and 8 bytes, integers of 1 to 8, booleans and complex numbers become F32 where it holds
 * every value, else F64 (32-bit integers and wider, doubles); complex arrays get a last axis (re,
 * im). What is written is version 1.0, little endian, row-major, {@code <f4} or {@code <f8}.
 *
 * @see Npz several arrays in one file
 * @see Writer an array that comes in pieces
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

  /** Writes a tensor of any layout; the file is complete or as it was before. */
  public static void write(Path file, Tensor x) throws IOException {
    AtomicFile.write(file, out -> write(out, x));
  }

  /** Starts a file that will hold an array of this type and shape, which comes in pieces. */
  public static Writer writer(Path file, DataType type, Shape shape) throws IOException {
    AtomicFile atomic = AtomicFile.create(file);
    try {
      return new Writer(atomic, type, shape);
    } catch (IOException e) {
      atomic.close();
      throw e;
    }
  }

  static Tensor read(InputStream in, Location at, long length) throws IOException {
    NpyHeader header = NpyHeader.read(in, at, length);
    return ElementReader.read(in, at, header.type(), header.order(), header.layout());
  }

  static void write(OutputStream out, Tensor x) throws IOException {
    out.write(header(ElementType.of(x.type()), x.shape()).encode(1));
    new ElementWriter(out, ByteOrder.LITTLE_ENDIAN).write(x);
  }

  /** What this library writes before a row-major array. */
  static NpyHeader header(ElementType type, Shape shape) {
    return new NpyHeader(type, ByteOrder.LITTLE_ENDIAN, false, shape);
  }

  /**
   * Writes one npy array of a known shape piece by piece, for data sets larger than memory.
   *
   * <pre>{@code
   * try (Npy.Writer samples = Npy.writer(path, DataType.F32, Shape.of(1000, 2, 64, 64))) {
   *   for (int i = 0; i < 1000; i++) {
   *     samples.append(simulate(i)); // (2, 64, 64)
   *   }
   *   samples.commit();
   * }
   * }</pre>
   *
   * <p>Without {@link #commit}, {@link #close} discards what was written. For one thread.
   */
  public static final class Writer implements AutoCloseable {
    private final Sink sink;
    private final ElementWriter elements;
    private final DataType type;
    private final Shape shape;
    private int written;

    Writer(Sink sink, DataType type, Shape shape) throws IOException {
      this.sink = sink;
      this.type = type;
      this.shape = shape;
      this.elements = new ElementWriter(sink.stream(), ByteOrder.LITTLE_ENDIAN);
      sink.stream().write(Npy.header(ElementType.of(type), shape).encode(1));
    }

    /**
     * Appends one entry of the first axis, or several as a tensor that has this axis too.
     *
     * @throws io.perflow.tensor.ShapeException when type or shape do not fit or the array is full
     */
    public void append(Tensor piece) throws IOException {
      Check.that(
          piece.type() == type,
          "npy",
          "a piece is %s, the array %s; convert it with to(%s)",
          piece.type(),
          type,
          type);
      Check.that(
          fits(piece.shape()),
          "npy",
          "a piece of shape %s is no part of an array of shape %s along its first axis",
          piece.shape(),
          shape);
      advance(piece.size());
      elements.write(piece);
    }

    /** Appends numbers in row-major order, any count, to an F32 array. */
    public void append(float[] numbers) throws IOException {
      Check.that(type == DataType.F32, "npy", "float numbers for an array of %s", type);
      advance(numbers.length);
      elements.write(numbers);
    }

    /** Appends numbers in row-major order, any count, to an F64 array. */
    public void append(double[] numbers) throws IOException {
      Check.that(type == DataType.F64, "npy", "double numbers for an array of %s", type);
      advance(numbers.length);
      elements.write(numbers);
    }

    private boolean fits(Shape piece) {
      if (piece.equals(shape)) {
        return true;
      }
      if (shape.rank() == 0) {
        return false;
      }
      Shape entry = shape.remove(0);
      return piece.equals(entry) || piece.rank() == shape.rank() && piece.remove(0).equals(entry);
    }

    private void advance(int count) {
      Check.that(
          count <= shape.size() - written,
          "npy",
          "%d elements for an array of shape %s that lacks %d",
          count,
          shape,
          shape.size() - written);
      written += count;
    }

    /**
     * Completes the array.
     *
     * @throws io.perflow.tensor.ShapeException when elements are missing
     */
    public void commit() throws IOException {
      Check.that(
          written == shape.size(),
          "npy",
          "the array of shape %s has %d elements, %d were written",
          shape,
          shape.size(),
          written);
      sink.commit();
    }

    @Override
    public void close() throws IOException {
      sink.close();
    }
  }
}
