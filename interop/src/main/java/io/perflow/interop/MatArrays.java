package io.perflow.interop;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import us.hebi.matlab.mat.format.BufferAllocator;
import us.hebi.matlab.mat.format.Mat5;
import us.hebi.matlab.mat.format.Mat5Reader;
import us.hebi.matlab.mat.types.MatFile;
import us.hebi.matlab.mat.types.MatlabType;
import us.hebi.matlab.mat.types.Matrix;
import us.hebi.matlab.mat.types.Source;
import us.hebi.matlab.mat.types.Sources;

/** The arrays of a MATLAB 5 file: real matrices of any number of axes, the first axis fastest. */
final class MatArrays implements ForeignArrays {
  /** Deflate makes at most 258 bytes out of 2 bits. */
  private static final long MAX_EXPANSION = 1032;

  private final Path file;
  private final Contents contents;
  private final double most; // bytes that the file can hold when compressed

  // A matrix is read as a whole, so the last one is kept for the next part.
  private String lastName;
  private Matrix last;

  private MatArrays(Path file) throws IOException {
    this.file = file;
    this.contents = new Contents(file);
    MatTags.check(file);
    this.most = Math.min((double) Files.size(file) * MAX_EXPANSION, Integer.MAX_VALUE - 8);
    read(
        header -> {
          list(header);
          return false; // so that the numbers are skipped
        });
  }

  static MatArrays open(Path file) throws IOException {
    return new MatArrays(file);
  }

  private MatFile read(Mat5Reader.EntryFilter wanted) throws IOException {
    return Guard.read(
        file,
        null,
        "not a sound MATLAB file",
        () -> {
          try (Source source = Sources.openFile(file.toFile())) {
            return Mat5.newReader(source)
                .disableSubsystemProcessing()
                .setEntryFilter(wanted)
                .setBufferAllocator(new CheckedAllocator())
                .readMat();
          }
        });
  }

  /**
   * An allocator of memory for numbers, which refuses when the file is too small to hold that many.
   */
  private final class CheckedAllocator implements BufferAllocator {
    @Override
    public ByteBuffer allocate(int size) {
      checkFits(size, "bytes");
      return ByteBuffer.allocate(size);
    }

    @Override
    public void release(ByteBuffer buffer) {
      // left to the collector
    }
  }

  private void checkFits(double count, String what) {
    if (!(count >= 0 && count <= most)) {
      throw new IllegalArgumentException(
          "%.0f %s cannot be in a file this long".formatted(count, what));
    }
  }

  private void list(Mat5Reader.EntryHeader header) {
    String name = header.getName();
    switch (header.getType()) {
      case Double, Single, Int8, UInt8, Int16, UInt16, Int32, UInt32, Int64, UInt64 -> {
        if (header.isComplex()) {
          contents.skip(name, "complex numbers; save real(x) and imag(x) apart");
        } else {
          double size = 1; // a number of any type takes at least a byte
          for (int extent : header.getDimensions()) {
            checkFits(extent, "entries along an axis");
            size *= extent;
          }
          checkFits(size, "numbers");
          contents.add(ArrayInfo.plain(name, type(header.getType()), header.getDimensions()));
        }
      }
      case Character -> contents.skip(name, "text");
      case Sparse -> contents.skip(name, "a sparse matrix; save full(x)");
      case Structure -> contents.skip(name, "a struct; save its fields with save -struct");
      default -> contents.skip(name, "of type " + header.getType() + ", not numbers");
    }
  }

  private static DataType type(MatlabType type) {
    return switch (type) {
      case Single, Int8, UInt8, Int16, UInt16 -> DataType.F32;
      default -> DataType.F64;
    };
  }

  @Override
  public Contents contents() {
    return contents;
  }

  @Override
  public Tensor load(String name, int first, int count) throws IOException {
    if (!name.equals(lastName)) {
      last = read(header -> header.getName().equals(name)).getMatrix(name);
      lastName = name;
    }
    // The type of the numbers is checked when they are loaded.
    return Guard.read(file, name, "not sound", () -> numbers(name, first, count));
  }

  private Tensor numbers(String name, int first, int count) throws IOException {
    int[] shape = shape(name);
    int all = shape[0];
    // Returns (others, samples) in the order of the file, where the samples of one cell lie side by
    // side.
    int[] backwards = Axes.reversed(shape);
    backwards[backwards.length - 1] = count;
    Numbers numbers = Numbers.room(file, name, Packing.none(type(last.getType())), backwards);
    for (long from = first; from < last.getNumElements(); from += all) {
      for (int i = 0; i < count; i++) {
        numbers.add(last.getDouble((int) from + i));
      }
    }
    return Axes.reverse(numbers.tensor(backwards));
  }

  @Override
  public void close() {
    last = null;
    lastName = null;
  }
}
