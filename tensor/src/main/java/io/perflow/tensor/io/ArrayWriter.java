package io.perflow.tensor.io;

import io.perflow.tensor.Check;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.ByteOrder;

/**
 * A writer of one array of a known shape, piece by piece, for data sets larger than memory. It is
 * made by {@link Npy#writer}, {@link Npz.Writer#begin} and {@link SafeTensors#writer}.
 *
 * <pre>{@code
 * try (ArrayWriter samples = Npy.writer(path, DataType.F32, Shape.of(1000, 2, 64, 64))) {
 *   for (int i = 0; i < 1000; i++) {
 *     samples.append(simulate(i)); // (2, 64, 64)
 *   }
 *   samples.commit();
 * }
 * }</pre>
 *
 * <p>Without {@link #commit}, {@link #close} discards what was written. Use it from one thread
 * only.
 */
public final class ArrayWriter implements AutoCloseable {
  private final Sink sink;
  private final ElementWriter elements;
  private final DataType type;
  private final Shape shape;
  private int written;

  private ArrayWriter(Sink sink, DataType type, Shape shape) {
    this.sink = sink;
    this.type = type;
    this.shape = shape;
    this.elements = new ElementWriter(sink.stream(), ByteOrder.LITTLE_ENDIAN);
  }

  /** Writes the header before the numbers; the sink is closed if that fails. */
  static ArrayWriter start(Sink sink, byte[] header, DataType type, Shape shape)
      throws IOException {
    try {
      sink.stream().write(header);
      return new ArrayWriter(sink, type, shape);
    } catch (IOException e) {
      sink.close();
      throw e;
    }
  }

  /**
   * Appends one entry of the first axis, or several as a tensor that has this axis too.
   *
   * @throws io.perflow.tensor.ShapeException when type or shape do not fit or the array is full
   */
  public void append(Tensor piece) throws IOException {
    Check.that(
        piece.type() == type,
        "array",
        "a piece is %s, the array %s; convert it with to(%s)",
        piece.type(),
        type,
        type);
    Check.that(
        fits(piece.shape()),
        "array",
        "a piece of shape %s is not part of an array of shape %s along its first axis",
        piece.shape(),
        shape);
    advance(piece.size());
    elements.write(piece);
  }

  /** Appends any count of numbers in row-major order to an F32 array. */
  public void append(float[] numbers) throws IOException {
    Check.that(type == DataType.F32, "array", "float numbers for an array of %s", type);
    advance(numbers.length);
    elements.write(numbers);
  }

  /** Appends any count of numbers in row-major order to an F64 array. */
  public void append(double[] numbers) throws IOException {
    Check.that(type == DataType.F64, "array", "double numbers for an array of %s", type);
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
        "array",
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
        "array",
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
