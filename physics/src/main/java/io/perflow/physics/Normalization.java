package io.perflow.physics;

import io.perflow.tensor.Check;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Json;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The units for networks: x' = (x - mean) / scale, with one mean and one scale per channel.
 *
 * <p>There is no mean per pixel, and channels that share a physical quantity (the components of a
 * velocity) share one scale: otherwise the change of units would destroy constraints.
 *
 * @param mean the mean that is subtracted from each channel
 * @param scale the positive divisor of each channel
 */
public record Normalization(List<Double> mean, List<Double> scale) {

  public Normalization {
    mean = List.copyOf(mean);
    scale = List.copyOf(scale);
    Check.that(
        mean.size() == scale.size(),
        "normalization",
        "%d means and %d scales: one of each per channel",
        mean.size(),
        scale.size());
    for (int c = 0; c < mean.size(); c++) {
      Check.that(
          Double.isFinite(mean.get(c)) && Double.isFinite(scale.get(c)) && scale.get(c) > 0,
          "normalization",
          "channel %d has mean %s and scale %s: means must be finite, scales positive",
          c,
          mean.get(c),
          scale.get(c));
    }
  }

  /** Returns the units of the data themselves. */
  public static Normalization identity(int channels) {
    return new Normalization(
        Collections.nCopies(channels, 0.0), Collections.nCopies(channels, 1.0));
  }

  /**
   * Returns the units in which every group of channels has mean 0 and the given standard deviation.
   *
   * <p>The mean and the standard deviation of a group are over all samples, channels and cells of
   * the group; a group that is not centred keeps its zero, and its standard deviation is the root
   * mean square. A constant group gets the scale 1.
   *
   * @param moments the moments of the data
   * @param groups the groups, each channel in exactly one of them
   * @param deviation 1 for unit variance; 0.5 as in FunDPS, to suit the noise levels of EDM
   */
  public static Normalization fit(Moments moments, List<ChannelGroup> groups, double deviation) {
    int[] covered =
        groups.stream().flatMap(g -> g.channels().stream()).mapToInt(c -> c).sorted().toArray();
    Check.that(
        Arrays.equals(covered, IntStream.range(0, moments.channels()).toArray()),
        "normalization",
        "groups %s must hold each of %d channels once",
        groups,
        moments.channels());
    double[] mean = new double[moments.channels()];
    double[] scale = new double[moments.channels()];
    for (ChannelGroup group : groups) {
      double centre = group.centred() ? moments.mean(group.channels()) : 0;
      double spread = moments.deviation(group.channels(), centre);
      for (int channel : group.channels()) {
        mean[channel] = centre;
        scale[channel] = spread > 0 ? spread / deviation : 1;
      }
    }
    return new Normalization(
        Arrays.stream(mean).boxed().toList(), Arrays.stream(scale).boxed().toList());
  }

  /**
   * Returns the units in which every group of channels of these fields has mean 0 and variance 1.
   */
  public static Normalization fit(Tensor fields, List<ChannelGroup> groups) {
    return fit(Moments.of(fields), groups, 1);
  }

  /** Returns the number of channels of a field. */
  public int channels() {
    return mean.size();
  }

  /** Returns (x - mean) / scale for fields [batch, channels, height, width]. */
  public Tensor normalize(Tensor x) {
    return x.sub(perChannel(mean, x)).div(perChannel(scale, x));
  }

  /** Returns x' · scale + mean, the inverse of {@link #normalize}. */
  public Tensor denormalize(Tensor x) {
    return x.mul(perChannel(scale, x)).add(perChannel(mean, x));
  }

  /**
   * Returns the composition of this and {@code second}: normalizing by the result is the same as
   * normalizing by this and then by {@code second}.
   */
  public Normalization then(Normalization second) {
    Check.that(
        channels() == second.channels(),
        "normalization",
        "%d and then %d channels",
        channels(),
        second.channels());
    List<Double> means = new java.util.ArrayList<>();
    List<Double> scales = new java.util.ArrayList<>();
    for (int c = 0; c < channels(); c++) {
      means.add(mean.get(c) + scale.get(c) * second.mean.get(c));
      scales.add(scale.get(c) * second.scale.get(c));
    }
    return new Normalization(means, scales);
  }

  /** Returns the form for files, {@code {"mean": […], "scale": […]}}. */
  public Map<String, Object> toJson() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("mean", mean);
    json.put("scale", scale);
    return json;
  }

  /** Reads what {@link #toJson} wrote. */
  public static Normalization fromJson(Object json) throws FileFormatException {
    Map<String, Object> members = Json.object(json, "normalization");
    return new Normalization(numbers(members, "mean"), numbers(members, "scale"));
  }

  private static List<Double> numbers(Map<String, Object> members, String name)
      throws FileFormatException {
    List<Double> values = new ArrayList<>();
    for (Object value : Json.list(members.get(name), "normalization." + name)) {
      values.add(Json.number(value, "normalization." + name));
    }
    return values;
  }

  private static Tensor perChannel(List<Double> values, Tensor x) {
    Check.rank("normalization", "field", x, 4);
    Check.size("normalization", "channels", x, x.dim(1), values.size());
    double[] numbers = values.stream().mapToDouble(Double::doubleValue).toArray();
    return Tensor.of(numbers, 1, numbers.length, 1, 1).to(x.type()).to(x.device());
  }
}
