package io.perflow.flow;

import io.perflow.physics.Problem;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Json;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * Factors that calibrate error bars. The standard deviation of samples is multiplied by them, so
 * that mean ± 1.64 standard deviations covers 90 % of the true values.
 *
 * <p>They are found on validation fields (split conformal prediction), for each quantity and
 * separately for places of small and of large standard deviation. The coverage then holds for other
 * fields of the same distribution, however wrong the model is.
 *
 * @param factors the factors of each quantity
 * @param usual the distance, in standard deviations, within which 99 % of the validation fields
 *     have their readings from the prior's expectation; NaN for a model without a prior
 * @param farthest how far the worst of these readings lies from what all the others of its field
 *     predict, in standard deviations; NaN for a model without a prior
 * @param finest the smallest meaningful standard deviation of samples, in normalized units; smaller
 *     ones are replaced by it
 */
public record Calibration(List<Factors> factors, double usual, double farthest, double finest) {
  /** The share of true values that the calibrated intervals cover. */
  public static final double LEVEL = 0.9;

  private static final String FINEST = "finest_deviation"; // the name in files
  private static final int BINS = 6;
  private static final double FEW = 3; // fewer fields say little about what is usual

  /**
   * The factors of a quantity, which depend on the standard deviation.
   *
   * @param edges the standard deviations, ascending, at which the next factor begins
   * @param values the factors, one more than edges
   */
  public record Factors(List<Double> edges, List<Double> values) {
    /** Copies the lists. */
    public Factors {
      edges = List.copyOf(edges);
      values = List.copyOf(values);
    }

    double of(double deviation) {
      int bin = 0;
      while (bin < edges.size() && deviation >= edges.get(bin)) {
        bin++;
      }
      return values.get(bin);
    }
  }

  /** Copies the list. */
  public Calibration {
    factors = List.copyOf(factors);
  }

  /**
   * Finds the factors of a system.
   *
   * @param fields normalized fields that it has not seen, [count, channels, height, width]
   * @param members samples per field, as many as will be drawn later
   * @param done receives the number of finished fields
   */
  public static Calibration fit(
      FieldSampler system, Tensor fields, int members, Rng rng, IntConsumer done) {
    Problem problem = system.problem();
    int quantities = problem.quantities().size();
    int count = fields.dim(0);
    int per = problem.frameCount() * problem.grid().cells();
    double[][] deviations = new double[quantities][count * per];
    double[][] errors = new double[quantities][count * per];
    double[] distances = new double[count];
    double farthest = 0;
    Tensor planes = problem.masks().draw(rng.split("masks"), count);
    for (int i = 0; i < count; i++) {
      try (Scope _ = Scope.open()) {
        Tensor truth = fields.slice(0, i, i + 1).contiguous();
        Observations seen = Observations.of(truth, planes.slice(0, i, i + 1).contiguous());
        Ensemble drawn = system.reconstruct(seen, members, rng.split(i));
        double[] deviation = drawn.deviation().toDoubles();
        double[] error = drawn.mean().sub(truth).abs().toDoubles();
        for (int q = 0; q < quantities; q++) {
          System.arraycopy(deviation, q * per, deviations[q], i * per, per);
          System.arraycopy(error, q * per, errors[q], i * per, per);
        }
        Optional<Known> known = system.prior().map(p -> p.tolerant(seen));
        distances[i] = known.map(Known::distance).orElse(Double.NaN);
        farthest = Math.max(farthest, known.map(k -> k.worst().distance()).orElse(Double.NaN));
      }
      done.accept(i + 1);
    }
    List<Factors> found = new ArrayList<>();
    for (int q = 0; q < quantities; q++) {
      found.add(factors(deviations[q], errors[q], system.finest()));
    }
    Arrays.sort(distances);
    double margin = 1 + FEW / count;
    double usual = margin * Ensemble.quantile(distances, 0.99);
    return new Calibration(found, usual, margin * farthest, system.finest());
  }

  private static Factors factors(double[] deviations, double[] errors, double finest) {
    int n = deviations.length;
    double[] own = Arrays.stream(deviations).map(d -> Math.max(finest, d)).toArray();
    int[] order =
        IntStream.range(0, n)
            .boxed()
            .sorted((a, b) -> Double.compare(own[a], own[b]))
            .mapToInt(i -> i)
            .toArray();
    List<Double> edges = new ArrayList<>();
    List<Double> values = new ArrayList<>();
    int from = 0;
    for (int bin = 1; bin <= BINS; bin++) {
      int to = (int) ((long) n * bin / BINS);
      while (to > from && to < n && own[order[to]] == own[order[to - 1]]) {
        to++; // equal deviations share one factor
      }
      if (to <= from) {
        continue;
      }
      if (from > 0) {
        edges.add(own[order[from]]);
      }
      double[] ratios = new double[to - from];
      for (int i = from; i < to; i++) {
        ratios[i - from] = errors[order[i]] / own[order[i]];
      }
      Arrays.sort(ratios);
      // The quantile that holds for one more error of the same distribution.
      int place = (int) Math.ceil(LEVEL * (ratios.length + 1)) - 1;
      values.add(ratios[Math.clamp(place, 0, ratios.length - 1)] / width(LEVEL));
      from = to;
    }
    return new Factors(edges, values);
  }

  /**
   * Returns the standard deviation of samples in normalized units with the factors applied, [1,
   * channels, height, width].
   */
  public Tensor deviation(Ensemble samples) {
    double[] deviation = samples.deviation().toDoubles();
    int per = deviation.length / factors.size();
    for (int i = 0; i < deviation.length; i++) {
      double own = Math.max(finest, deviation[i]);
      deviation[i] = own * factors.get(i / per).of(own);
    }
    return Tensor.of(deviation, samples.samples().shape().with(0, 1).toArray());
  }

  /**
   * Returns this calibration without factors below 1, for readings that have noise or come from
   * other sensors than those of the calibration: error bars that were too wide there may be right
   * here.
   */
  Calibration cautious() {
    List<Factors> wide =
        factors.stream()
            .map(f -> new Factors(f.edges, f.values.stream().map(v -> Math.max(1, v)).toList()))
            .toList();
    return new Calibration(wide, usual, farthest, finest);
  }

  /**
   * Returns the number of standard deviations around the mean that hold this part of a normal
   * distribution: 1.645 for 0.9.
   */
  public static double width(double level) {
    double low = 0;
    double high = 6;
    for (int i = 0; i < 60; i++) {
      double middle = (low + high) / 2;
      if (inside(middle) < level) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }

  // Returns the part of a normal distribution within z standard deviations, by the series of the
  // error function.
  private static double inside(double z) {
    double x = z / Math.sqrt(2);
    double term = x;
    double sum = x;
    for (int n = 1; n < 200; n++) {
      term *= -x * x / n;
      sum += term / (2 * n + 1);
    }
    return 2 / Math.sqrt(Math.PI) * sum;
  }

  /** Returns the form in which files hold it. */
  public Map<String, Object> toJson() {
    Map<String, Object> json = new LinkedHashMap<>();
    List<Object> all = new ArrayList<>();
    for (Factors one : factors) {
      Map<String, Object> members = new LinkedHashMap<>();
      members.put("edges", one.edges());
      members.put("factors", one.values());
      all.add(members);
    }
    json.put("quantities", all);
    if (!Double.isNaN(usual)) {
      json.put("usual_distance", usual);
      json.put("farthest_reading", farthest);
    }
    json.put(FINEST, finest);
    return json;
  }

  /** Reads what {@link #toJson} returned, for a problem. */
  static Calibration fromJson(Object value, Problem problem) throws FileFormatException {
    Map<String, Object> json = Json.object(value, "calibration");
    List<Factors> found = new ArrayList<>();
    for (Object one : Json.list(json.get("quantities"), "calibration.quantities")) {
      Map<String, Object> members = Json.object(one, "calibration.quantities");
      Factors factors = new Factors(numbers(members, "edges"), numbers(members, "factors"));
      require(factors.values().size() == factors.edges().size() + 1, "one more factor than edges");
      require(factors.values().stream().allMatch(f -> f >= 0 && f < 1e12), "positive factors");
      found.add(factors);
    }
    require(found.size() == problem.quantities().size(), "factors for every quantity");
    double finest = optional(json, FINEST, FieldSampler.FINEST);
    require(finest > 0 && finest < 1e12, "a positive deviation as " + FINEST);
    return new Calibration(
        found,
        optional(json, "usual_distance", Double.NaN),
        optional(json, "farthest_reading", Double.NaN),
        finest);
  }

  private static double optional(Map<String, Object> json, String name, double otherwise)
      throws FileFormatException {
    return json.containsKey(name) ? Json.number(json.get(name), "calibration." + name) : otherwise;
  }

  private static void require(boolean ok, String what) throws FileFormatException {
    if (!ok) {
      throw new FileFormatException(null, "calibration", "expected " + what);
    }
  }

  private static List<Double> numbers(Map<String, Object> json, String name)
      throws FileFormatException {
    List<Double> values = new ArrayList<>();
    for (Object value : Json.list(json.get(name), "calibration." + name)) {
      values.add(Json.number(value, "calibration." + name));
    }
    return values;
  }
}
