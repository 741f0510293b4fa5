package io.perflow.physics.prior;

import io.perflow.physics.Problem;
import io.perflow.physics.constraint.Projector;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Json;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A prior as files keep it: its modes as factors of the blocks of the covariance in a {@link
 * SpectralBasis}. It takes a hundredth of the memory of the modes themselves.
 *
 * @param tensors by the names below
 * @param sizes coefficients of each block
 * @param ranks modes of each block
 * @param nugget deviation of what the modes leave, for each channel
 * @param description how it was learnt
 */
record Compact(
    Map<String, Tensor> tensors,
    List<Integer> sizes,
    List<Integer> ranks,
    List<Double> nugget,
    Map<String, Object> description) {
  /** The mean, [1, channels, height, width]. */
  static final String MEAN = "prior/mean";

  /** The functions of each quantity along the rows' axis, [quantities, points, points]. */
  static final String ROWS = "prior/rows";

  /** The same along the columns' axis. */
  static final String COLUMNS = "prior/columns";

  /** Numbers of the coefficients, block by block. */
  static final String MEMBERS = "prior/members";

  /** Modes of all blocks, one after the other: their coefficients in the block. */
  static final String FACTORS = "prior/factors";

  private static final int CHUNK = 64; // modes that are made into fields at a time

  Tensor mean() {
    return tensors.get(MEAN);
  }

  /** The same with other nuggets. */
  Compact nuggets(double factor) {
    List<Double> scaled = nugget.stream().map(n -> factor * n).toList();
    return new Compact(tensors, sizes, ranks, scaled, description);
  }

  /** The modes as columns, [channels · cells, rank]. */
  Tensor modes(Problem problem, Projector projector) {
    double[] numbers = tensors.get(MEMBERS).toDoubles();
    int[] members = new int[numbers.length];
    Arrays.setAll(members, i -> (int) numbers[i]);
    SpectralBasis basis =
        SpectralBasis.of(problem, tensors.get(ROWS), tensors.get(COLUMNS), members);
    int rank = ranks.stream().mapToInt(r -> r).sum();
    float[] packed = tensors.get(FACTORS).toFloats();
    int length = problem.batch(1).size();
    float[] columns = new float[Math.multiplyExact(length, rank)];
    float[] chunk = new float[CHUNK * members.length];
    int from = 0;
    int mode = 0;
    int inChunk = 0;
    int first = 0;
    for (int b = 0; b < sizes.size(); b++) {
      for (int r = 0; r < ranks.get(b); r++) {
        System.arraycopy(packed, from, chunk, inChunk * members.length + first, sizes.get(b));
        from += sizes.get(b);
        inChunk++;
        mode++;
        if (inChunk == CHUNK || mode == rank) {
          put(basis, projector, chunk, inChunk, columns, mode - inChunk, rank);
          Arrays.fill(chunk, 0);
          inChunk = 0;
        }
      }
      first += sizes.get(b);
    }
    return Tensor.of(columns, length, rank);
  }

  private static void put(
      SpectralBasis basis,
      Projector projector,
      float[] chunk,
      int count,
      float[] columns,
      int first,
      int rank) {
    int size = basis.size();
    Tensor fields = basis.synthesize(Tensor.of(Arrays.copyOf(chunk, count * size), count, size));
    // differences of fields satisfy the constraints, and so do modes but for rounding and for
    // what the basis leaves out
    float[] values = projector.tangent(fields, fields).toFloats();
    int length = values.length / count;
    for (int i = 0; i < length; i++) {
      for (int m = 0; m < count; m++) {
        columns[i * rank + first + m] = values[m * length + i];
      }
    }
  }

  Map<String, Object> toJson() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("sizes", sizes);
    json.put("ranks", ranks);
    json.put("nugget", nugget);
    json.put("learnt", description);
    return json;
  }

  static Compact fromJson(Problem problem, Object value, Map<String, Tensor> tensors)
      throws FileFormatException {
    Map<String, Object> json = Json.object(value, "prior");
    Map<String, Tensor> own = new LinkedHashMap<>();
    for (String name : List.of(MEAN, ROWS, COLUMNS, MEMBERS, FACTORS)) {
      require(tensors.containsKey(name), "tensor %s is missing", name);
      own.put(name, tensors.get(name));
    }
    Compact read =
        new Compact(
            own,
            integers(json, "sizes"),
            integers(json, "ranks"),
            numbers(json, "nugget"),
            Json.object(json.get("learnt"), "prior.learnt"));
    read.check(problem);
    return read;
  }

  // a file may hold anything
  private void check(Problem problem) throws FileFormatException {
    int quantities = problem.quantities().size();
    int height = problem.grid().height();
    int width = problem.grid().width();
    shape(MEAN, problem.batch(1));
    shape(ROWS, Shape.of(quantities, height, height));
    shape(COLUMNS, Shape.of(quantities, width, width));
    require(
        sizes.size() == ranks.size() && !sizes.isEmpty(),
        "%d sizes and %d ranks of blocks",
        sizes.size(),
        ranks.size());
    long members = 0;
    long factors = 0;
    for (int b = 0; b < sizes.size(); b++) {
      require(
          sizes.get(b) >= 0 && ranks.get(b) >= 0 && ranks.get(b) <= sizes.get(b),
          "rank %d of a block of %d",
          ranks.get(b),
          sizes.get(b));
      members += sizes.get(b);
      factors += (long) ranks.get(b) * sizes.get(b);
    }
    require(members <= problem.batch(1).size(), "%d coefficients of a smaller field", members);
    shape(MEMBERS, Shape.of((int) members));
    require(factors <= Integer.MAX_VALUE, "%d factors are too many", factors);
    shape(FACTORS, Shape.of((int) factors));
    for (double member : tensors.get(MEMBERS).toDoubles()) {
      require(
          member >= 0 && member < problem.batch(1).size() && member == Math.rint(member),
          "there is no coefficient %s",
          member);
    }
    require(
        nugget.size() == problem.channelCount(),
        "%d nuggets for %d channels",
        nugget.size(),
        problem.channelCount());
    require(nugget.stream().allMatch(n -> n > 0 && n < 1e6), "nuggets %s", nugget);
    for (Map.Entry<String, Tensor> tensor : tensors.entrySet()) {
      double sum = tensor.getValue().abs().max(false).item();
      require(Double.isFinite(sum), "%s holds a number that is not finite", tensor.getKey());
    }
  }

  private void shape(String name, Shape wanted) throws FileFormatException {
    Shape found = tensors.get(name).shape();
    require(found.equals(wanted), "%s is %s, expected %s", name, found, wanted);
  }

  private static void require(boolean ok, String message, Object... args)
      throws FileFormatException {
    if (!ok) {
      throw new FileFormatException(null, "prior", message.formatted(args));
    }
  }

  private static List<Integer> integers(Map<String, Object> json, String name)
      throws FileFormatException {
    List<Integer> result = new ArrayList<>();
    for (Object value : Json.list(json.get(name), "prior." + name)) {
      result.add(Math.toIntExact(Json.integer(value, "prior." + name)));
    }
    return result;
  }

  private static List<Double> numbers(Map<String, Object> json, String name)
      throws FileFormatException {
    List<Double> result = new ArrayList<>();
    for (Object value : Json.list(json.get(name), "prior." + name)) {
      result.add(Json.number(value, "prior." + name));
    }
    return result;
  }
}
