package io.perflow.cli;

import io.perflow.cli.figure.Figure;
import io.perflow.cli.figure.ReconstructionFigure;
import io.perflow.flow.Reconstruction;
import io.perflow.physics.Axis;
import io.perflow.physics.Problem;
import io.perflow.physics.Readings;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** The files of a reconstruction: arrays, a figure and numbers. */
public final class ReconstructionFiles {
  private ReconstructionFiles() {}

  /** Returns mean, standard deviation, samples and coordinates, by their names in fields.npz. */
  public static Map<String, Tensor> arrays(Reconstruction made) {
    Map<String, Tensor> arrays = new LinkedHashMap<>();
    arrays.put("mean", made.fields().mean().select(0, 0).contiguous());
    arrays.put("std", made.deviation().select(0, 0).contiguous());
    arrays.put("samples", made.fields().samples());
    arrays.putAll(coordinates(made.problem()));
    return arrays;
  }

  // The coordinates of the rows, columns and frames of the arrays, under the names of the axes.
  private static Map<String, Tensor> coordinates(Problem problem) {
    Map<String, Tensor> found = new LinkedHashMap<>();
    List<Axis> axes = new ArrayList<>(List.of(problem.grid().rows(), problem.grid().columns()));
    problem.frames().ifPresent(axes::add);
    for (Axis axis : axes) {
      double[] places = IntStream.range(0, axis.points()).mapToDouble(axis::coordinate).toArray();
      found.put(axis.name(), Tensor.of(places, places.length));
    }
    return found;
  }

  /**
   * Draws sensors, mean and standard deviation as maps, and truth and error when the truth is
   * known.
   *
   * @param truth the true field, [1, channels, height, width]; null when it is not known
   */
  public static Figure figure(Reconstruction made, Readings readings, Tensor truth) {
    ReconstructionFigure figure = FieldFigures.of(made.problem());
    Readings.Raster raster = readings.raster();
    Tensor mask = made.problem().expand(raster.planes());
    FieldFigures.add(
        figure,
        made.problem(),
        raster.values(),
        mask,
        truth,
        made.fields().mean(),
        made.deviation());
    return figure.figure();
  }

  /** Returns the distance of the mean from the readings, for each quantity that was read. */
  public static List<Object> misfits(Reconstruction made) {
    List<Object> misfits = new ArrayList<>();
    for (Readings.Misfit misfit : made.misfits()) {
      Map<String, Object> found = new LinkedHashMap<>();
      found.put("quantity", misfit.quantity().name());
      found.put("unit", misfit.quantity().unit());
      found.put("readings", misfit.readings());
      found.put("rms", misfit.rms());
      found.put("max", misfit.max());
      if (Double.isFinite(misfit.inSigmas())) {
        found.put("rms_in_sigmas", misfit.inSigmas());
      }
      misfits.add(found);
    }
    return misfits;
  }
}
