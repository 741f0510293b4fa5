package io.perflow.interop;

import io.jhdf.HdfFile;
import io.jhdf.api.Dataset;
import io.jhdf.api.Group;
import io.jhdf.api.Node;
import io.jhdf.api.dataset.ChunkedDataset;
import io.jhdf.exceptions.HdfException;
import io.jhdf.filter.PipelineFilterWithData;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The arrays of an HDF5 file in all its groups, NetCDF-4 and MATLAB 7.3 files included. Arrays
 * written by MATLAB have an attribute {@code MATLAB_class} and their axes in reverse order.
 *
 * <p>Links are not followed: their targets in this file are found anyway, and other files are not
 * read.
 */
final class HdfArrays implements ForeignArrays {
  /**
   * The limits of the search: the deepest group that is searched, and the largest number of objects
   * that are examined.
   */
  private static final int MAX_DEPTH = 64;

  private static final int MAX_NODES = 100_000;

  /** Deflate, the most common filter, makes at most 258 bytes out of 2 bits; others make fewer. */
  private static final double EXPANSION = 1032;

  /** The filter that puts the bytes of a chunk's numbers into another order. */
  private static final int SHUFFLE = 2;

  /** The longest array of coordinates that is read. */
  private static final int MAX_COORDINATES = 1 << 22;

  /** The number of elements read at a time; the library keeps all bytes of a part in one array. */
  private static final int PART = 1 << 26;

  private final Path path;
  private final HdfFile file;
  private final long length;
  private final Contents contents;
  private final boolean netcdf; // whether the library of NetCDF wrote it
  private final Map<String, HdfDataset> arrays = new LinkedHashMap<>();
  private final Map<Long, String> scaleNames = new HashMap<>(); // of dimensions, by address
  private final Set<Long> seen = new HashSet<>(); // addresses of groups and arrays
  private int nodes;

  private HdfArrays(Path path, HdfFile file) throws IOException {
    this.path = path;
    this.file = file;
    this.length = Files.size(path);
    this.contents = new Contents(path);
    this.netcdf = file.getAttributes().containsKey("_NCProperties");
    walk(file, "", 0);
    Map<Long, Coordinates> coordinates = coordinates();
    for (Map.Entry<String, HdfDataset> entry : arrays.entrySet()) {
      contents.add(describe(entry.getKey(), entry.getValue(), coordinates));
    }
  }

  static HdfArrays open(Path path) throws IOException {
    HdfFile[] opened = new HdfFile[1];
    try {
      return Guard.read(
          path,
          null,
          "not a sound HDF5 file",
          () -> {
            opened[0] = new HdfFile(path);
            return new HdfArrays(path, opened[0]);
          });
    } catch (IOException e) {
      if (opened[0] != null) {
        opened[0].close();
      }
      throw e;
    }
  }

  // ---- listing

  private void walk(Group group, String prefix, int depth) throws FileFormatException {
    if (depth > MAX_DEPTH) {
      throw error(prefix, "groups lie in each other more than " + MAX_DEPTH + " deep");
    }
    for (Node node : group) {
      String name = prefix + node.getName();
      if (++nodes > MAX_NODES) {
        throw error(name, "the file has more than " + MAX_NODES + " groups and arrays");
      }
      if (node.isLink()) {
        contents.skip(name, "a link to another place; name the file or the array it leads to");
      } else if (node instanceof Dataset dataset) {
        if (seen.add(node.getAddress())) {
          list(name, dataset);
        }
      } else if (node instanceof Group inner && !node.getName().startsWith("#")) {
        // MATLAB keeps in #refs# what its cells refer to.
        if (seen.add(node.getAddress())) {
          walk(inner, name + "/", depth + 1);
        }
      }
    }
  }

  private void list(String name, Dataset dataset) throws FileFormatException {
    HdfDataset array;
    try {
      array = HdfDataset.of(dataset, netcdf);
      dataset.getFilters(); // to find out whether they can be undone
    } catch (HdfException e) { // of a kind, or by a filter, that the library does not know
      contents.skip(name, "cannot be read: " + e.getMessage());
      return;
    }
    if (array.isScale()) {
      scaleNames.put(array.address(), array.scaleName());
    }
    if (array.isNameOfDimension()) {
      return; // what it holds means nothing
    }
    if (array.obstacle().isPresent()) {
      contents.skip(name, array.obstacle().get());
      return;
    }
    boolean chunked = dataset instanceof ChunkedDataset;
    checkSize(name, dataset, dataset.getDimensionsAsLong(), length * (chunked ? EXPANSION : 1));
    if (dataset instanceof ChunkedDataset chunks) {
      checkChunks(name, chunks);
    }
    arrays.put(name, array);
  }

  private void checkChunks(String name, ChunkedDataset dataset) throws FileFormatException {
    long[] chunk = Arrays.stream(dataset.getChunkDimensions()).asLongStream().toArray();
    checkSize(name, dataset, chunk, length * EXPANSION);
    long stored = dataset.getStorageInBytes();
    if (stored < 0 || stored > length) {
      throw error(name, "its chunks take %d bytes, the file has %d".formatted(stored, length));
    }
    int size = dataset.getDataType().getSize();
    for (PipelineFilterWithData filter : dataset.getFilters()) {
      int[] parameters = filter.getFilterData();
      // The library counts up to the size that is stated here.
      if (filter.getId() == SHUFFLE && (parameters.length == 0 || parameters[0] != size)) {
        throw error(
            name,
            "its bytes are shuffled for numbers of %s bytes, it has %d"
                .formatted(Arrays.toString(parameters), size));
      }
    }
  }

  // Checked before memory is allocated for the numbers that the file claims to have.
  private void checkSize(String name, Dataset dataset, long[] shape, double most)
      throws FileFormatException {
    double bytes = dataset.getDataType().getSize();
    for (long extent : shape) {
      if (extent < 0 || extent > Integer.MAX_VALUE) {
        throw error(name, "extent " + extent + " is more than a tensor can have");
      }
      bytes *= extent;
    }
    if (bytes > most) {
      throw error(
          name,
          "shape %s takes %.0f bytes, which a file of %d cannot hold"
              .formatted(Arrays.toString(shape), bytes, length));
    }
  }

  private FileFormatException error(String name, String problem) {
    return new FileFormatException(path.toString(), name, problem);
  }

  // ---- dimensions

  /** Returns the coordinates of the arrays that stand for dimensions, by the address of each. */
  private Map<Long, Coordinates> coordinates() throws IOException {
    Map<Long, Coordinates> all = new HashMap<>();
    for (Map.Entry<String, HdfDataset> entry : arrays.entrySet()) {
      HdfDataset array = entry.getValue();
      int[] shape = array.shape();
      if (array.isScale() && shape.length == 1 && shape[0] > 0 && shape[0] <= MAX_COORDINATES) {
        double[] values = load(entry.getKey(), 0, shape[0]).toDoubles();
        all.put(array.address(), new Coordinates(entry.getKey(), array.unit(), values));
      }
    }
    return all;
  }

  private ArrayInfo describe(String name, HdfDataset array, Map<Long, Coordinates> coordinates) {
    int[] shape = array.shape();
    List<DimensionInfo> dimensions = new ArrayList<>();
    for (int axis = 0; axis < shape.length; axis++) {
      int size = shape[axis];
      Optional<String> label = array.label(axis);
      Optional<Long> scale = array.scale(axis);
      dimensions.add(
          new DimensionInfo(
              scale.map(scaleNames::get).or(() -> label),
              size,
              // Arrays of another length do not count the entries of this axis.
              scale.map(coordinates::get).filter(its -> its.size() == size),
              List.of()));
    }
    return new ArrayInfo(name, array.packing().type(), dimensions, array.unit(), array.longName());
  }

  @Override
  public Contents contents() {
    return contents;
  }

  // ---- numbers

  @Override
  public Tensor load(String name, int first, int count) throws IOException {
    return Guard.read(path, name, "cannot be read", () -> read(name, first, count));
  }

  private Tensor read(String name, int first, int count) throws IOException {
    HdfDataset array = arrays.get(name);
    Dataset dataset = array.dataset();
    int[] part = dataset.getDimensions();
    if (part.length == 0) {
      Numbers number = Numbers.room(path, name, array.packing());
      number.addAll(dataset.getData());
      return number.tensor();
    }
    int axis = array.isMatlab() ? part.length - 1 : 0;
    int all = part[axis];
    part[axis] = count;
    Numbers numbers = Numbers.room(path, name, array.packing(), part);
    long size = Arrays.stream(part).asLongStream().reduce(1, Math::multiplyExact);
    if (count == all && size <= PART) {
      numbers.addAll(dataset.getDataFlat());
    } else {
      // The samples of MATLAB are the fastest axis, so parts of them would not be contiguous.
      long entry = Math.max(1, size / Math.max(1, count));
      int step = axis == 0 ? Math.clamp(PART / entry, 1, Math.max(1, count)) : count;
      long[] offset = new long[part.length];
      for (int done = 0; done < count; done += step) {
        int[] slice = part.clone();
        slice[axis] = Math.min(step, count - done);
        offset[axis] = (long) first + done;
        numbers.addAll(dataset.getData(offset, slice));
      }
    }
    Tensor stored = numbers.tensor(part);
    return array.isMatlab() ? Axes.reverse(stored) : stored;
  }

  @Override
  public void close() {
    file.close();
  }
}
