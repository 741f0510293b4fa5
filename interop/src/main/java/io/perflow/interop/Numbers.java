package io.perflow.interop;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import java.nio.file.Path;

/** A collector of the numbers of an array as they are read from a file; it unpacks them. */
final class Numbers {
  /** The length of the longest array of the JVM, less a few words. */
  private static final long MAX_SIZE = Integer.MAX_VALUE - 8;

  private final Packing packing;
  private final float[] narrow;
  private final double[] wide;
  private int size;

  private Numbers(Packing packing, int capacity) {
    this.packing = packing;
    this.narrow = new float[packing.type() == DataType.F32 ? capacity : 0];
    this.wide = new double[packing.type() == DataType.F64 ? capacity : 0];
  }

  /**
   * Allocates an array of a shape.
   *
   * @throws FileFormatException when a tensor or the JVM's memory cannot hold it
   */
  static Numbers room(Path file, String name, Packing packing, int... shape)
      throws FileFormatException {
    double size = 1; // rounds, but does not overflow
    for (int extent : shape) {
      size *= extent;
    }
    if (size > MAX_SIZE) {
      throw new FileFormatException(
          file.toString(),
          name,
          "has %.0f numbers, a tensor holds %d; load fewer samples".formatted(size, MAX_SIZE));
    }
    double bytes = size * packing.type().bytes();
    long memory = Runtime.getRuntime().maxMemory();
    if (bytes > memory) {
      throw new FileFormatException(
          file.toString(),
          name,
          "needs %.0f MB, Java may use %d MB; load fewer samples or start Java with a larger -Xmx"
              .formatted(bytes / (1 << 20), memory >> 20));
    }
    return new Numbers(packing, (int) size);
  }

  void add(double stored) {
    double number = packing.unpack(stored);
    if (packing.type() == DataType.F32) {
      narrow[size++] = (float) number;
    } else {
      wide[size++] = number;
    }
  }

  /** Adds a number, an array of numbers, or arrays of arrays in their order. */
  void addAll(Object stored) {
    switch (stored) {
      case float[] numbers -> {
        for (float number : numbers) {
          add(number);
        }
      }
      case double[] numbers -> {
        for (double number : numbers) {
          add(number);
        }
      }
      case byte[] numbers -> {
        for (byte number : numbers) {
          add(number);
        }
      }
      case short[] numbers -> {
        for (short number : numbers) {
          add(number);
        }
      }
      case int[] numbers -> {
        for (int number : numbers) {
          add(number);
        }
      }
      case long[] numbers -> {
        for (long number : numbers) {
          add(number);
        }
      }
      case Object[] parts -> {
        for (Object part : parts) {
          addAll(part);
        }
      }
      case Number number -> add(number.doubleValue());
      default -> throw new IllegalArgumentException(stored.getClass() + " holds no numbers");
    }
  }

  Tensor tensor(int... shape) {
    return packing.type() == DataType.F32 ? Tensor.of(narrow, shape) : Tensor.of(wide, shape);
  }
}
