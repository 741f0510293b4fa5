package io.perflow.tensor.io;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A writer of the numbers of tensors of any layout and device, in row-major order and chunk by
 * chunk.
 */
final class ElementWriter {
  /** The number of elements fetched and converted at a time. */
  private static final int CHUNK = 1 << 16;

  private final OutputStream out;
  private final ByteOrder order;
  private byte[] bytes = new byte[0]; // grows to the longest chunk, since most tensors are small

  ElementWriter(OutputStream out, ByteOrder order) {
    this.out = out;
    this.order = order;
  }

  void write(Tensor x) throws IOException {
    write(x, x.layout());
  }

  // Visits the part of x that a layout shows: in blocks along its first axis, or row by row if rows
  // are longer than a chunk.
  private void write(Tensor x, Layout whole) throws IOException {
    int size = whole.shape().size();
    if (size == 0) {
      return;
    }
    Layout layout = whole.isContiguous() ? whole.reshape(Shape.of(size)) : whole;
    if (size <= CHUNK) {
      fetch(x.view(layout));
      return;
    }
    int rows = layout.shape().dim(0);
    int block = CHUNK / (size / rows);
    if (block > 0) {
      for (int row = 0; row < rows; row += block) {
        fetch(x.view(layout.slice(0, row, Math.min(block, rows - row), 1)));
      }
      return;
    }
    int[] strides = layout.strides();
    Shape rest = layout.shape().remove(0);
    for (int row = 0; row < rows; row++) {
      int[] inner = Arrays.copyOfRange(strides, 1, strides.length);
      write(x, Layout.of(rest, inner, layout.offset() + row * strides[0]));
    }
  }

  private void fetch(Tensor part) throws IOException {
    if (part.type() == DataType.F32) {
      write(part.toFloats());
    } else {
      write(part.toDoubles());
    }
  }

  void write(float[] data) throws IOException {
    for (int from = 0; from < data.length; from += CHUNK) {
      int n = Math.min(CHUNK, data.length - from);
      buffer(n * Float.BYTES).asFloatBuffer().put(data, from, n);
      out.write(bytes, 0, n * Float.BYTES);
    }
  }

  void write(double[] data) throws IOException {
    for (int from = 0; from < data.length; from += CHUNK) {
      int n = Math.min(CHUNK, data.length - from);
      buffer(n * Double.BYTES).asDoubleBuffer().put(data, from, n);
      out.write(bytes, 0, n * Double.BYTES);
    }
  }

  private ByteBuffer buffer(int size) {
    if (bytes.length < size) {
      bytes = new byte[size];
    }
    return ByteBuffer.wrap(bytes).order(order);
  }
}
