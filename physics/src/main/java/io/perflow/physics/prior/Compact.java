package io.perflow.physics.prior;

import io.perflow.physics.Problem;
import io.perflow.tensor.DataType;
import io.perflow.tensor.NonFinite;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Json;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * A prior as files keep it: not the modes themselves but the factors of the covariance's blocks in
 * a {@link SpectralBasis}, from which the modes are made. The more symmetries a problem has, the
 * smaller this is.
 *
 * @param tensors the tensors by the names below
 * @param sizes the number of coefficients of each block
 * @param ranks the number of modes of each block
 * @param nugget the standard deviation of the part of a field that the modes do not represent, for
 *     each channel
 * @param description a description of how the prior was learnt
 */
record Compact(
    Map<String, Tensor> tensors,
    List<Integer> sizes,
    List<Integer> ranks,
    List<Double> nugget,
    Map<String, Object> description) {

  /** Copies mutable arguments. */
  Compact {
    tensors = Collections.unmodifiableMap(new LinkedHashMap<>(tensors)); // keeps their order
    sizes = List.copyOf(sizes);
    ranks = List.copyOf(ranks);
    nugget = List.copyOf(nugget);
    description = Collections.unmodifiableMap(new LinkedHashMap<>(description));
  }

  /** The mean, [1, channels, height, width]. */
  static final String MEAN = "prior/mean";

  /** The functions of each quantity along the rows' axis, [quantities, points, points]. */
  static final String ROWS = "prior/rows";

  /** The functions of each quantity along the columns' axis. */
  static final String COLUMNS = "prior/columns";

  /** The numbers of the coefficients, block by block. */
  static final String MEMBERS = "prior/members";

  /** The modes of all blocks in turn, by their coefficients in the block. */
  static final String FACTORS = "prior/factors";

  /** The largest total number of values of all modes: 2 GB. */
  static final long MOST = 1L << 29;

  /**
   * Returns the compact form of a learnt covariance.
   *
   * @param mean the mean of the fields, [1, channels, height, width]
   * @param factors the factors of the covariances of the blocks
   */
  static Compact of(
      Tensor mean,
      Blocks blocks,
      PivotedCholesky factors,
      List<Double> nugget,
      Map<String, Object> description) {
    SpectralBasis basis = blocks.basis();
    List<int[]> members = new ArrayList<>(); // of the blocks that have modes
    List<double[]> columns = new ArrayList<>();
    List<Integer> ranks = new ArrayList<>();
    for (int b = 0; b < blocks.members().size(); b++) {
      if (!factors.columns(b).isEmpty()) {
        members.add(blocks.members().get(b));
        columns.addAll(factors.columns(b));
        ranks.add(factors.columns(b).size());
      }
    }
    double[] numbers =
        members.stream().flatMapToInt(Arrays::stream).mapToDouble(basis::number).toArray();
    float[] packed = packed(columns);
    Tensor[] functions = basis.functions();
    Map<String, Tensor> tensors = new LinkedHashMap<>();
    // F64 is kept in full where a file is written in half precision.
    tensors.put(MEAN, mean.to(DataType.F64));
    tensors.put(ROWS, functions[0]);
    tensors.put(COLUMNS, functions[1]);
    tensors.put(MEMBERS, Tensor.of(numbers, numbers.length));
    tensors.put(FACTORS, Tensor.of(packed, packed.length));
    List<Integer> sizes = members.stream().map(m -> m.length).toList();
    return new Compact(tensors, sizes, ranks, nugget, description);
  }

  private static float[] packed(List<double[]> columns) {
    float[] packed = new float[columns.stream().mapToInt(c -> c.length).sum()];
    int to = 0;
    for (double[] column : columns) {
      for (double value : column) {
        packed[to++] = (float) value;
      }
    }
    return packed;
  }

  Tensor mean() {
    return tensors.get(MEAN);
  }

  /** Returns the number of modes. */
  int rank() {
    return ranks.stream().mapToInt(r -> r).sum();
  }

  /** Returns the same with other nuggets. */
  Compact nuggets(List<Double> others) {
    return new Compact(tensors, sizes, ranks, others, description);
  }

  /**
   * Returns the modes as columns, [channels · cells, rank].
   *
   * @param problem the problem of the training fields
   * @param length the number of entries of a finished mode
   * @param finish the map applied to modes [count, channels, height, width]
   */
  Modes modes(Problem problem, int length, UnaryOperator<Tensor> finish) {
    return new Modes(rank(), length, () -> maker(problem, finish));
  }

  private Modes.Maker maker(Problem problem, UnaryOperator<Tensor> finish) {
    double[] numbers = tensors.get(MEMBERS).toDoubles();
    int[] members = new int[numbers.length];
    Arrays.setAll(members, i -> (int) numbers[i]);
    Synthesis synthesis =
        Synthesis.of(
            SpectralBasis.of(problem, tensors.get(ROWS), tensors.get(COLUMNS), members),
            tensors.get(FACTORS).toFloats());
    List<Synthesis.Mode> all = all();
    return (first, count, columns) -> {
      try (Scope _ = Scope.open()) {
        Tensor made = finish.apply(synthesis.fields(all.subList(first, first + count)));
        put(made.toFloats(), count, columns, first, all.size());
      }
    };
  }

  private List<Synthesis.Mode> all() {
    List<Synthesis.Mode> all = new ArrayList<>();
    int factor = 0;
    int member = 0;
    for (int b = 0; b < sizes.size(); b++) {
      for (int r = 0; r < ranks.get(b); r++) {
        all.add(new Synthesis.Mode(factor, member, sizes.get(b)));
        factor += sizes.get(b);
      }
      member += sizes.get(b);
    }
    return all;
  }

  private static void put(float[] values, int count, float[] columns, int first, int rank) {
    int length = values.length / count;
    for (int i = 0; i < length; i++) {
      for (int m = 0; m < count; m++) {
        columns[i * rank + first + m] = values[m * length + i];
      }
    }
  }

  Map<String, Object> toJson() {
    Map<String, Object> json = new LinkedHashMap<>();
    // Long, because JSON text is read so.
    json.put("sizes", sizes.stream().map(Integer::longValue).toList());
    json.put("ranks", ranks.stream().map(Integer::longValue).toList());
    json.put("nugget", nugget);
    json.put("learnt", description);
    return json;
  }

  /**
   * Reads what {@link #toJson} returned, which may hold anything.
   *
   * @param problem the problem of the training fields
   * @param channels the number of channels with a nugget
   * @param most the largest number of modes
   */
  static Compact fromJson(
      Problem problem, int channels, long most, Object value, Map<String, Tensor> tensors)
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
    read.check(problem, channels, most);
    return read;
  }

  private void check(Problem problem, int channels, long most) throws FileFormatException {
    int quantities = problem.quantities().size();
    int height = problem.grid().height();
    int width = problem.grid().width();
    shape(MEAN, problem.batch(1));
    shape(ROWS, Shape.of(quantities, height, height));
    shape(COLUMNS, Shape.of(quantities, width, width));
    checkBlocks(problem, most);
    checkMembers(problem);
    require(nugget.size() == channels, "%d nuggets for %d channels", nugget.size(), channels);
    require(
        nugget.stream().allMatch(n -> n > 0 && n < 1e6),
        "nuggets %s: deviations must be positive and below a million",
        nugget);
    for (Map.Entry<String, Tensor> tensor : tensors.entrySet()) {
      Optional<String> odd = NonFinite.in(tensor.getValue());
      require(odd.isEmpty(), "%s holds %s", tensor.getKey(), odd.orElse(""));
    }
  }

  private void checkBlocks(Problem problem, long most) throws FileFormatException {
    require(
        sizes.size() == ranks.size() && !sizes.isEmpty(),
        "%d sizes and %d ranks of blocks",
        sizes.size(),
        ranks.size());
    long members = 0;
    long factors = 0;
    long rank = 0;
    for (int b = 0; b < sizes.size(); b++) {
      require(
          sizes.get(b) >= 0 && ranks.get(b) >= 0 && ranks.get(b) <= sizes.get(b),
          "rank %d of a block of %d",
          ranks.get(b),
          sizes.get(b));
      members += sizes.get(b);
      factors += (long) ranks.get(b) * sizes.get(b);
      rank += ranks.get(b);
    }
    int length = problem.batch(1).size();
    require(members <= length, "%d coefficients of fields with %d values", members, length);
    require(rank <= most, "%d modes: more than %d need more than 2 GB", rank, most);
    shape(MEMBERS, Shape.of((int) members));
    require(factors <= Integer.MAX_VALUE, "%d factors are too many", factors);
    shape(FACTORS, Shape.of((int) factors));
  }

  private void checkMembers(Problem problem) throws FileFormatException {
    int length = problem.batch(1).size();
    BitSet seen = new BitSet(length);
    for (double member : tensors.get(MEMBERS).toDoubles()) {
      require(
          member >= 0 && member < length && member == Math.rint(member),
          "%s: there is no coefficient %s of fields with %d values",
          MEMBERS,
          member,
          length);
      require(!seen.get((int) member), "%s: coefficient %d twice", MEMBERS, (int) member);
      seen.set((int) member);
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
      long number = Json.integer(value, "prior." + name);
      require(number == (int) number, "%s: %d is too large", name, number);
      result.add((int) number);
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
