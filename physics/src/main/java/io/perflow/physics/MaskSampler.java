package io.perflow.physics;

import io.perflow.tensor.Check;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Where sensors are: draws masks of 0 and 1, of shape [batch, planes, height, width].
 *
 * <pre>{@code
 * MaskSampler masks = MaskSampler.points(MaskPlanes.independent(2, 128, 128), 500);
 * Tensor planes = masks.draw(rng, 24);       // (24, 2, 128, 128), 500 ones in each plane
 * Tensor y = field.mul(masks.expand(planes)); // what the sensors see
 * }</pre>
 *
 * <p>A number of sensors may come from a range; then each sample draws it anew, equally likely, for
 * all its planes together, and the places plane by plane. A draw moves the stream on, so that the
 * next one differs.
 */
public final class MaskSampler {
  /** What a line of sensors is fixed in, for fields whose rows are times and columns places. */
  public enum Line {
    /** A sensor at one place that reports at all times: a column. */
    SPACE,
    /** A snapshot of all places at one time: a row. */
    TIME
  }

  /** Marks k sensors in a plane of zeros that begins at an offset. */
  private interface Pattern {
    void mark(Rng rng, int k, int plane, float[] out, int offset);
  }

  private final MaskPlanes planes;
  private final int fewest;
  private final int most;
  private final Pattern pattern;
  private final String name;

  private MaskSampler(MaskPlanes planes, int fewest, int most, String name, Pattern pattern) {
    this.planes = planes;
    this.fewest = fewest;
    this.most = most;
    this.name = name;
    this.pattern = pattern;
  }

  /** k random cells of every plane, without repetition. */
  public static MaskSampler points(MaskPlanes planes, int k) {
    return points(planes, k, k);
  }

  /**
   * From {@code fewest} to {@code most} random cells of every plane, without repetition.
   *
   * @throws io.perflow.tensor.ShapeException when the grid has fewer cells
   */
  public static MaskSampler points(MaskPlanes planes, int fewest, int most) {
    int cells = planes.cells();
    checkCount(
        fewest,
        most,
        cells,
        "cells of the %d x %d grid".formatted(planes.height(), planes.width()));
    return new MaskSampler(
        planes,
        fewest,
        most,
        "points",
        (rng, k, plane, out, offset) -> {
          for (int cell : rng.choice(cells, k)) {
            out[offset + cell] = 1;
          }
        });
  }

  /** k random columns (places seen at all times) or rows (times seen at all places). */
  public static MaskSampler lines(MaskPlanes planes, Line line, int k) {
    return lines(planes, line, k, k);
  }

  /**
   * From {@code fewest} to {@code most} random columns or rows.
   *
   * @throws io.perflow.tensor.ShapeException when the grid has fewer
   */
  public static MaskSampler lines(MaskPlanes planes, Line line, int fewest, int most) {
    int height = planes.height();
    int width = planes.width();
    int there = line == Line.SPACE ? width : height;
    String what = line == Line.SPACE ? "columns" : "rows";
    checkCount(fewest, most, there, "%s of the %d x %d grid".formatted(what, height, width));
    return new MaskSampler(
        planes,
        fewest,
        most,
        what,
        (rng, k, plane, out, offset) -> {
          for (int chosen : rng.choice(there, k)) {
            for (int i = 0; i < planes.cells() / there; i++) {
              out[offset + (line == Line.SPACE ? i * width + chosen : chosen * width + i)] = 1;
            }
          }
        });
  }

  /**
   * The same sensors for every sample.
   *
   * @param mask ones and zeros of shape [height, width], for all planes, or [planes, height, width]
   * @throws io.perflow.tensor.ShapeException when the shape is another or no sensor is there
   */
  public static MaskSampler fixed(MaskPlanes planes, Tensor mask) {
    Shape one = Shape.of(planes.height(), planes.width());
    Shape all = one.insert(0, planes.count());
    Check.that(
        mask.shape().equals(one) || mask.shape().equals(all),
        "mask",
        "fixed sensors have shape %s, expected %s or %s",
        mask.shape(),
        one,
        all);
    float[] ones = mask.toFloats();
    int sensors = 0;
    for (float value : ones) {
      Check.that(value == 0 || value == 1, "mask", "holds %s; a mask is of zeros and ones", value);
      sensors += (int) value;
    }
    Check.that(sensors > 0, "mask", "no sensor is set");
    int cells = planes.cells();
    return new MaskSampler(
        planes,
        sensors,
        sensors,
        "fixed",
        (rng, k, plane, out, offset) ->
            System.arraycopy(ones, plane * cells % ones.length, out, offset, cells));
  }

  /**
   * Sensors listed in a file, the same for every sample; see {@link SensorFile} for its forms.
   *
   * @throws io.perflow.tensor.io.FileFormatException when a sensor lies outside the grid or the
   *     file cannot be understood
   */
  public static MaskSampler sensors(MaskPlanes planes, Path file) throws IOException {
    return fixed(planes, SensorFile.read(file, planes));
  }

  private static void checkCount(int fewest, int most, int there, String what) {
    Check.that(
        fewest >= 1 && fewest <= most,
        "mask",
        "from %d to %d sensors: at least 1, and the smaller number first",
        fewest,
        most);
    Check.that(most <= there, "mask", "%d sensors, but there are only %d %s", most, there, what);
  }

  /** Number of planes of a drawn mask. */
  public int planes() {
    return planes.count();
  }

  /** The grid, and which channels share a plane. */
  public MaskPlanes layout() {
    return planes;
  }

  /** Masks for a batch: [batch, planes, height, width], F32 on the CPU, ones at the sensors. */
  public Tensor draw(Rng rng, int batch) {
    int cells = planes.cells();
    float[] out = new float[Math.multiplyExact(Math.multiplyExact(batch, planes()), cells)];
    for (int b = 0; b < batch; b++) {
      int k = fewest < most ? fewest + rng.nextInt(most - fewest + 1) : fewest;
      for (int plane = 0; plane < planes(); plane++) {
        pattern.mark(rng, k, plane, out, (b * planes() + plane) * cells);
      }
    }
    return Tensor.of(out, batch, planes(), planes.height(), planes.width());
  }

  /** Masks of the channels: [batch, planes, …] to [batch, channels, …]. */
  public Tensor expand(Tensor drawn) {
    return planes.expand(drawn);
  }

  @Override
  public String toString() {
    String count = fewest < most ? fewest + " to " + most : "" + fewest;
    return "%s %s in %d planes of %d x %d"
        .formatted(count, name, planes(), planes.height(), planes.width());
  }
}
