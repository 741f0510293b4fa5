package io.perflow.interop;

import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import us.hebi.matlab.mat.format.Mat5;
import us.hebi.matlab.mat.types.MatFile;
import us.hebi.matlab.mat.types.MatlabType;
import us.hebi.matlab.mat.types.Matrix;
import us.hebi.matlab.mat.types.Source;
import us.hebi.matlab.mat.types.Sources;

/** Arrays of a MATLAB 5 file: real matrices of any number of axes, the first axis fastest. */
final class MatArrays implements ForeignArrays {
  private final Map<String, Matrix> matrices = new LinkedHashMap<>();

  private MatArrays(MatFile content) {
    for (MatFile.Entry entry : content.getEntries()) {
      if (entry.getValue() instanceof Matrix matrix && !matrix.isComplex()) {
        matrices.put(entry.getName(), matrix);
      }
    }
  }

  static MatArrays open(Path file) throws IOException {
    try (Source source = Sources.openFile(file.toFile())) {
      return new MatArrays(Mat5.newReader(source).disableSubsystemProcessing().readMat());
    } catch (IOException | RuntimeException e) { // the library throws both for damaged files
      throw new FileFormatException(
          file.toString(), null, "not a sound MATLAB file: " + e.getMessage(), e);
    }
  }

  @Override
  public Set<String> names() {
    return matrices.keySet();
  }

  @Override
  public int[] shape(String name) {
    return matrices.get(name).getDimensions();
  }

  @Override
  public Tensor load(String name, int samples) {
    Matrix matrix = matrices.get(name);
    int[] shape = shape(name);
    int all = shape[0];
    int others = matrix.getNumElements() / all;
    // (others, samples) in the order of the file, where the samples of one cell lie side by side
    int[] backwards = Axes.reversed(shape);
    backwards[backwards.length - 1] = samples;
    if (matrix.getType() == MatlabType.Single) {
      float[] numbers = new float[others * samples];
      for (int i = 0; i < numbers.length; i++) {
        numbers[i] = matrix.getFloat(i / samples * all + i % samples);
      }
      return Axes.reverse(Tensor.of(numbers, backwards));
    }
    double[] numbers = new double[others * samples];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = matrix.getDouble(i / samples * all + i % samples);
    }
    return Axes.reverse(Tensor.of(numbers, backwards));
  }

  @Override
  public void close() {
    matrices.clear();
  }
}
