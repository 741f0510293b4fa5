package io.perflow.interop;

import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.Npy;
import io.perflow.tensor.io.NpyInfo;
import java.io.IOException;
import java.nio.file.Path;

/** The one array of an npy file, named after the file without its ending. */
record NpyArrays(Path file, Contents contents) implements ForeignArrays {
  private static final String ENDING = ".npy";

  static NpyArrays open(Path file) throws IOException {
    Contents contents = new Contents(file);
    list(contents, nameOf(file), Npy.describe(file));
    return new NpyArrays(file, contents);
  }

  private static String nameOf(Path file) {
    String name = file.getFileName().toString();
    return name.endsWith(ENDING) ? name.substring(0, name.length() - ENDING.length()) : name;
  }

  /** Lists an array of an npy file, or of an archive of such files. */
  static void list(Contents contents, String name, NpyInfo array) {
    if (array.complex()) {
      contents.skip(name, "complex numbers; save the real and the imaginary part apart");
    } else if (array.type().isEmpty()) {
      contents.skip(name, "dtype " + array.dtype() + " is not a type of numbers that is read");
    } else {
      contents.add(ArrayInfo.plain(name, array.type().get(), array.shape().toArray()));
    }
  }

  @Override
  public Tensor load(String name, int first, int count) throws IOException {
    boolean scalar = contents.arrays().values().iterator().next().rank() == 0;
    return scalar ? Npy.read(file) : Npy.read(file, first, count);
  }

  @Override
  public void close() {
    // Each read opens the file anew.
  }
}
