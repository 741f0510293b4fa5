package io.perflow.interop;

import io.jhdf.HdfFile;
import io.jhdf.api.Dataset;
import io.jhdf.api.Node;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import java.io.IOException;
import java.lang.reflect.Array;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Arrays at the root of an HDF5 file. What MATLAB 7.3 wrote carries an attribute {@code
 * MATLAB_class} and has its axes from the last to the first.
 */
final class HdfArrays implements ForeignArrays {
  /** Longest array of the JVM, less a few words. */
  private static final long MAX_SIZE = Integer.MAX_VALUE - 8;

  private final Path path;
  private final HdfFile file;
  private final Map<String, Dataset> arrays = new LinkedHashMap<>();

  private HdfArrays(Path path, HdfFile file) {
    this.path = path;
    this.file = file;
    for (Node node : file) {
      if (node instanceof Dataset array && isNumbers(array)) {
        arrays.put(array.getName(), array);
      }
    }
  }

  private static boolean isNumbers(Dataset array) {
    Class<?> type = array.getJavaType();
    return !array.isCompound()
        && !array.isScalar()
        && !array.isEmpty()
        && !array.isVariableLength()
        && type.isPrimitive()
        && type != boolean.class
        && type != char.class;
  }

  static HdfArrays open(Path path) throws IOException {
    try {
      return new HdfArrays(path, new HdfFile(path));
    } catch (RuntimeException e) { // the library's own, or one from deep inside a damaged file
      throw error(path, null, "not a sound HDF5 file: " + e.getMessage(), e);
    }
  }

  private static FileFormatException error(Path path, String entry, String problem, Exception e) {
    return new FileFormatException(path.toString(), entry, problem, e);
  }

  private static boolean isMatlab(Dataset array) {
    return array.getAttributes().containsKey("MATLAB_class");
  }

  @Override
  public Set<String> names() {
    return arrays.keySet();
  }

  @Override
  public int[] shape(String name) {
    Dataset array = arrays.get(name);
    int[] stored = array.getDimensions();
    return isMatlab(array) ? Axes.reversed(stored) : stored;
  }

  @Override
  public Tensor load(String name, int samples) throws IOException {
    Dataset array = arrays.get(name);
    int[] part = array.getDimensions();
    int axis = isMatlab(array) ? part.length - 1 : 0;
    part[axis] = samples;
    long size = Arrays.stream(part).asLongStream().reduce(1, Math::multiplyExact);
    if (size > MAX_SIZE) {
      throw error(path, name, "has more numbers than a tensor can hold; read fewer samples", null);
    }
    try {
      boolean whole = Arrays.equals(part, array.getDimensions());
      Object data =
          whole
              ? array.getDataFlat()
              : flat(array.getData(new long[part.length], part), (int) size);
      Tensor stored = tensor(data, part);
      return isMatlab(array) ? Axes.reverse(stored) : stored;
    } catch (RuntimeException e) { // as above
      throw error(path, name, "cannot be read: " + e.getMessage(), e);
    }
  }

  // F32 where the file has it, else F64.
  private static Tensor tensor(Object flat, int[] shape) {
    return switch (flat) {
      case float[] numbers -> Tensor.of(numbers, shape);
      case double[] numbers -> Tensor.of(numbers, shape);
      default -> {
        double[] numbers = new double[Array.getLength(flat)];
        for (int i = 0; i < numbers.length; i++) {
          numbers[i] = ((Number) Array.get(flat, i)).doubleValue();
        }
        yield Tensor.of(numbers, shape);
      }
    };
  }

  // A part of an array comes as arrays of arrays.
  private static Object flat(Object nested, int size) {
    Class<?> element = nested.getClass();
    while (element.isArray()) {
      element = element.getComponentType();
    }
    Object all = Array.newInstance(element, size);
    copy(nested, all, 0);
    return all;
  }

  private static int copy(Object nested, Object all, int from) {
    int length = Array.getLength(nested);
    if (!nested.getClass().getComponentType().isArray()) {
      System.arraycopy(nested, 0, all, from, length);
      return from + length;
    }
    int at = from;
    for (Object inner : (Object[]) nested) {
      at = copy(inner, all, at);
    }
    return at;
  }

  @Override
  public void close() {
    file.close();
  }
}
