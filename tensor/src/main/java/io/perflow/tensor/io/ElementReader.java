package io.perflow.tensor.io;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Layout;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.MemoryKernels;
import io.perflow.tensor.backend.Storage;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A reader that turns a stream of numbers into a tensor on the CPU. It converts one chunk after
 * another and assigns it to the tensor's memory, so that the array exists only once.
 */
final class ElementReader {
  /** The number of elements converted at a time: the chunk's copies stay in cache. */
  private static final int CHUNK = 1 << 16;

  private ElementReader() {}

  /**
   * Reads {@code layout.shape().size()} numbers.
   *
   * @param layout where they lie in memory, in the order of the file; without gaps
   */
  static Tensor read(InputStream in, Location at, ElementType type, ByteOrder order, Layout layout)
      throws IOException {
    int size = layout.shape().size();
    MemoryKernels memory = Device.cpu().backend().memory();
    Storage storage = allocate(memory, at, type.target(), size);
    int chunk = Math.min(CHUNK, size);
    byte[] bytes = new byte[chunk * type.numberBytes()];
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(order);
    for (int from = 0; from < size; from += chunk) {
      int n = Math.min(chunk, size - from);
      int length = n * type.numberBytes();
      int got = in.readNBytes(bytes, 0, length);
      if (got < length) {
        throw at.error(
            "the data ends after %d of %d bytes; the file is truncated",
            (long) from * type.numberBytes() + got, (long) size * type.numberBytes());
      }
      try (Scope _ = Scope.open()) { // gives the chunk's memory back
        Layout part = Layout.of(Shape.of(n), new int[] {1}, from);
        memory.assign(Tensor.over(storage, part), decode(memory, type, buffer.clear(), n));
      }
    }
    return Tensor.over(storage, layout);
  }

  private static Storage allocate(MemoryKernels memory, Location at, DataType type, int size)
      throws FileFormatException {
    double bytes = (double) size * type.bytes();
    at.checkMemory("the array", bytes);
    try {
      return memory.allocate(type, size);
    } catch (OutOfMemoryError e) { // leaves room for other objects
      throw at.outOfMemory("the array", bytes);
    }
  }

  private static Tensor decode(MemoryKernels memory, ElementType type, ByteBuffer buffer, int n) {
    if (type.target() == DataType.F32) {
      float[] numbers = new float[n];
      type.decode(buffer, numbers, n);
      return memory.upload(numbers, Shape.of(n));
    }
    double[] numbers = new double[n];
    type.decode(buffer, numbers, n);
    return memory.upload(numbers, Shape.of(n));
  }
}
