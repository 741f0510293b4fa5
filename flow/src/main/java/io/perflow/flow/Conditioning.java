package io.perflow.flow;

import io.perflow.physics.Grid;
import io.perflow.physics.Problem;
import io.perflow.tensor.Check;
import io.perflow.tensor.Named;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * A choice of the input channels, besides the state, that describe the sensors to a network.
 *
 * <p>The paper's network receives the readings and the mask, {@link #paper}. Convolutions then need
 * many layers to carry a handful of readings across the domain. A field filled in from the sensors,
 * the distance to the nearest sensor and the coordinates tell every pixel about the sensors at
 * once.
 *
 * @param fill how a first guess of the whole field is made from the readings
 * @param distance whether the distance to the nearest sensor is a channel, per plane of the mask
 * @param coordinates whether the coordinate of every axis that is not periodic is a channel
 */
public record Conditioning(Fill fill, boolean distance, boolean coordinates) {

  /** The ways to fill in a field from readings. */
  public enum Fill {
    /** Fills in no field. */
    NONE,
    /** Takes the nearest reading (Voronoi cells). */
    NEAREST,
    /** Interpolates linearly between the readings of each row. */
    ROWS,
    /**
     * Takes the mean of the Gaussian prior given the readings (kriging), with the standard
     * deviation of their noise as a further channel.
     */
    PRIOR
  }

  // Noise of a tenth of the fields' standard deviation gives the value 1.
  private static final double NOISE_UNIT = 10;
  // Distances are in eighths of the domain, so that their size is that of normalized fields.
  private static final float DISTANCE_UNIT = 8;

  /** Returns the paper's choice: readings and mask. */
  public static Conditioning paper() {
    return new Conditioning(Fill.NONE, false, false);
  }

  /** Returns all channels that make the flow learn fast. */
  public static Conditioning rich(Fill fill) {
    return new Conditioning(fill, true, true);
  }

  /** Returns the number of channels of {@link #channels(Observations, Problem)}. */
  public int count(Problem problem) {
    int count = problem.channelCount() + problem.planes();
    count += fill == Fill.NONE ? 0 : problem.channelCount();
    count += fill == Fill.PRIOR ? 1 : 0;
    count += distance ? problem.planes() : 0;
    return count + (coordinates ? axes(problem.grid()).size() : 0);
  }

  /** Returns a short description of each channel. */
  List<String> names(Problem problem) {
    List<String> names = new ArrayList<>();
    problem.channels().forEach(c -> names.add("reading of " + c));
    planes(problem).forEach(plane -> names.add("mask of " + plane));
    if (fill != Fill.NONE) {
      String how = fill == Fill.PRIOR ? "mean of " : "filled ";
      problem.channels().forEach(c -> names.add(how + c));
    }
    if (fill == Fill.PRIOR) {
      names.add("%.0f times the deviation of the noise".formatted(NOISE_UNIT));
    }
    if (distance) {
      planes(problem).forEach(plane -> names.add("distance to a sensor of " + plane));
    }
    if (coordinates) {
      Grid grid = problem.grid();
      axes(grid).forEach(a -> names.add((a == 2 ? grid.rows() : grid.columns()).name()));
    }
    return names;
  }

  // The channels that are read through each mask.
  private static List<String> planes(Problem problem) {
    List<String> names = new ArrayList<>();
    for (int plane = 0; plane < problem.planes(); plane++) {
      int own = plane;
      names.add(
          problem.names(
              IntStream.range(0, problem.channelCount())
                  .filter(c -> problem.plane(c) == own)
                  .toArray()));
    }
    return names;
  }

  /**
   * Returns the channels of the condition, [batch, count, height, width], on the device of the
   * readings. Only the masks are read on the host, where they were drawn.
   */
  public Tensor channels(Observations seen, Problem problem) {
    return channels(seen, null, null, problem);
  }

  /**
   * Returns the channels with what the prior knows.
   *
   * @param mean the mean of the prior given the readings, [batch, channels, height, width]; null
   *     without a prior
   * @param noise the standard deviation of the readings' noise, [batch, 1, 1, 1]; null without a
   *     prior
   */
  Tensor channels(Observations seen, Tensor mean, Tensor noise, Problem problem) {
    problem.check("condition", seen.values());
    Check.size("condition", "masks", seen.planes(), seen.planes().dim(1), problem.planes());
    List<Tensor> parts = new ArrayList<>(List.of(seen.values(), seen.planes()));
    if (fill == Fill.PRIOR) {
      parts.add(mean);
      parts.add(noise.mul(NOISE_UNIT).expand(seen.values().shape().with(1, 1)));
    }
    if (fill == Fill.NEAREST || fill == Fill.ROWS || distance) {
      parts.addAll(maps(seen, problem));
    }
    if (coordinates) {
      axes(problem.grid()).forEach(axis -> parts.add(coordinate(seen.values(), axis)));
    }
    Tensor[] all = parts.toArray(Tensor[]::new);
    for (int i = 0; i < all.length; i++) {
      all[i] = all[i].to(seen.values().type()).to(seen.values().device());
    }
    return Tensor.concat(1, all);
  }

  /** Returns the filled field among the channels of a condition. */
  Tensor filled(Tensor condition, Problem problem) {
    int first = problem.channelCount() + problem.planes();
    return condition.slice(1, first, first + problem.channelCount());
  }

  private List<Tensor> maps(Observations seen, Problem problem) {
    Grid grid = problem.grid();
    int batch = seen.values().dim(0);
    int channels = problem.channelCount();
    int planes = problem.planes();
    float[] mask = seen.planes().toFloats();
    float[] away = new float[distance ? mask.length : 0];
    float unit = DISTANCE_UNIT / Math.max(grid.height(), grid.width());
    Filling filling = new Filling(fill, batch * channels * grid.cells());
    for (int plane = 0; plane < batch * planes; plane++) {
      SensorMap map = new SensorMap(mask, plane * grid.cells(), grid);
      if (distance) {
        map.writeDistance(away, plane * grid.cells(), unit);
      }
      int sample = plane / planes;
      for (int c = 0; c < channels; c++) {
        if (problem.plane(c) == plane % planes) {
          filling.add(map, (sample * channels + c) * grid.cells());
        }
      }
    }
    List<Tensor> parts = new ArrayList<>();
    if (fill == Fill.NEAREST || fill == Fill.ROWS) {
      parts.add(filling.of(seen.values()));
    }
    if (distance) {
      parts.add(Tensor.of(away, batch, planes, grid.height(), grid.width()));
    }
    return parts;
  }

  /** The origin of each value of a filled field. */
  private static final class Filling {
    private final Fill fill;
    private final int[] left;
    private final int[] right;
    private final float[] part;

    Filling(Fill fill, int size) {
      this.fill = fill;
      left = new int[fill == Fill.NEAREST || fill == Fill.ROWS ? size : 0];
      right = new int[fill == Fill.ROWS ? size : 0];
      part = new float[right.length];
    }

    void add(SensorMap map, int offset) {
      switch (fill) {
        case NEAREST -> map.writeNearest(offset, left, offset);
        case ROWS -> map.writeRows(offset, left, right, part, offset);
        case NONE, PRIOR -> {}
      }
    }

    Tensor of(Tensor values) {
      Tensor flat = values.reshape(values.size());
      Tensor start = flat.gather(0, left);
      if (fill == Fill.ROWS) {
        Tensor share = Tensor.of(part, part.length).to(values.type()).to(values.device());
        start = start.add(flat.gather(0, right).sub(start).mul(share));
      }
      return start.reshape(values.shape());
    }
  }

  // The axes of the fields that are not periodic.
  private static List<Integer> axes(Grid grid) {
    List<Integer> axes = new ArrayList<>();
    if (!grid.rows().periodic()) {
      axes.add(2);
    }
    if (!grid.columns().periodic()) {
      axes.add(3);
    }
    return axes;
  }

  // Runs from -1 to 1 along one axis.
  private static Tensor coordinate(Tensor like, int axis) {
    Shape field = like.shape();
    int n = field.dim(axis);
    float[] line = new float[n];
    for (int i = 0; i < n; i++) {
      line[i] = n == 1 ? 0 : 2f * i / (n - 1) - 1;
    }
    Tensor row = axis == 2 ? Tensor.of(line, 1, 1, n, 1) : Tensor.of(line, 1, 1, 1, n);
    return row.to(like.type()).to(like.device()).expand(field.with(1, 1));
  }

  Map<String, Object> toJson() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("fill", fill.name().toLowerCase(Locale.ROOT));
    json.put("distance", distance);
    json.put("coordinates", coordinates);
    return json;
  }

  static Conditioning fromJson(Object value) throws FileFormatException {
    Map<String, Object> json = Json.object(value, "condition");
    return new Conditioning(
        Named.parse(Fill.class, Json.text(json.get("fill"), "condition.fill"), "condition.fill"),
        Json.flag(json.get("distance"), "condition.distance"),
        Json.flag(json.get("coordinates"), "condition.coordinates"));
  }
}
