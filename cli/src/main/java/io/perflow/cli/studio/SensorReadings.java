package io.perflow.cli.studio;

import io.perflow.physics.Axis;
import io.perflow.physics.Grid;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.Readings;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Makes readings of a page's sensors. */
final class SensorReadings {
  private static final int MOST = 8000; // of which the factorization takes a few seconds

  private final Problem problem;
  private final Normalization units;
  private final double[] truth; // null when it is not known
  private final Rng noise;

  private SensorReadings(Problem problem, Normalization units, Tensor truth, long seed) {
    this.problem = problem;
    this.units = units;
    this.truth = truth == null ? null : truth.toDoubles();
    noise = Rng.of(seed).split("noise");
  }

  /**
   * What sensors read.
   *
   * @param truth the field they read, null when they have values of their own
   * @param seed of their noise, which stays with a sensor wherever it goes
   */
  static Readings of(
      Problem problem, Normalization units, Tensor truth, List<Sensor> sensors, long seed) {
    SensorReadings maker = new SensorReadings(problem, units, truth, seed);
    long count =
        sensors.stream().mapToLong(s -> (long) maker.places(s).size() * s.channels().length).sum();
    if (count > MOST) {
      throw new IllegalArgumentException(
          "%d readings, and the page can have %d; remove sensors, or let them read less"
              .formatted(count, MOST));
    }
    Readings.Builder readings = Readings.of(problem);
    sensors.forEach(sensor -> maker.read(sensor, readings));
    return readings.build();
  }

  // in points along both axes
  private List<double[]> places(Sensor sensor) {
    Grid grid = problem.grid();
    return switch (sensor.along()) {
      case POINT -> List.of(new double[] {sensor.row(), sensor.column()});
      case ROWS ->
          IntStream.range(0, grid.height())
              .mapToObj(row -> new double[] {row, sensor.column()})
              .toList();
      case COLUMNS ->
          IntStream.range(0, grid.width())
              .mapToObj(column -> new double[] {sensor.row(), column})
              .toList();
    };
  }

  private void read(Sensor sensor, Readings.Builder readings) {
    readings.source("sensor " + sensor.id());
    List<double[]> places = places(sensor);
    for (int i = 0; i < sensor.channels().length; i++) {
      int channel = sensor.channels()[i];
      String quantity = problem.quantities().get(channel / problem.frameCount()).name();
      if (sensor.values().length > 0) {
        readings.sigma(sensor.sigmas()[i]);
        readings.at(quantity, sensor.values()[i], coordinates(channel, places.getFirst()));
        continue;
      }
      if (truth == null) {
        throw new IllegalArgumentException(
            "sensor %d has no value, and the field is not known; give it one, or choose a field"
                .formatted(sensor.id()));
      }
      double sigma = sensor.noise() * units.scale().get(channel);
      double[] errors =
          noise.split(sensor.id()).split(channel).normal(Shape.of(places.size())).toDoubles();
      readings.sigma(sigma);
      for (int p = 0; p < errors.length; p++) {
        double[] at = coordinates(channel, places.get(p));
        readings.at(quantity, truthAt(quantity, at) + sigma * errors[p], at);
      }
    }
  }

  private double truthAt(String quantity, double[] at) {
    Readings.Reading row = Readings.of(problem).at(quantity, 0, at).build().all().getFirst();
    int start = row.channel() * problem.grid().cells();
    int[] cells = row.cells();
    double[] weights = row.weights();
    double sum = 0;
    for (int i = 0; i < cells.length; i++) {
      sum += weights[i] * truth[start + cells[i]];
    }
    return sum;
  }

  // with frames that of the frame before the others
  private double[] coordinates(int channel, double[] place) {
    List<Double> at = new ArrayList<>();
    problem.frames().ifPresent(axis -> at.add(axis.coordinate(channel % problem.frameCount())));
    at.add(coordinate(problem.grid().rows(), place[0]));
    at.add(coordinate(problem.grid().columns(), place[1]));
    return at.stream().mapToDouble(c -> c).toArray();
  }

  /** The coordinate of a place that is given in points. */
  static double coordinate(Axis axis, double place) {
    if (place == Math.rint(place) && place >= 0 && place < axis.points()) {
      return axis.coordinate((int) place); // the very number, so that it is the grid point
    }
    double at = axis.coordinate(0) + place * axis.spacing();
    return axis.periodic() ? at : Math.clamp(at, axis.from(), axis.to());
  }
}
