package io.perflow.cli.studio;

import io.perflow.physics.Axis;
import io.perflow.physics.Grid;
import io.perflow.physics.Problem;
import io.perflow.physics.Readings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Readings as the page shows them, and as tables hold them. */
final class MeasuredSensors {
  private MeasuredSensors() {}

  /** A sensor with one value for each reading. */
  static List<Sensor> of(Readings readings) {
    List<Sensor> sensors = new ArrayList<>();
    for (Readings.Reading reading : readings.all()) {
      sensors.add(sensor(sensors.size() + 1, readings.problem().grid(), reading));
    }
    return sensors;
  }

  private static Sensor sensor(int id, Grid grid, Readings.Reading reading) {
    int width = grid.width();
    int[] rows = Arrays.stream(reading.cells()).map(cell -> cell / width).toArray();
    int[] columns = Arrays.stream(reading.cells()).map(cell -> cell % width).toArray();
    double row = middle(rows, reading.weights(), grid.rows());
    double column = middle(columns, reading.weights(), grid.columns());
    return new Sensor(
        id,
        row,
        column,
        Sensor.Along.POINT,
        new int[] {reading.channel()},
        0,
        new double[] {reading.value()},
        new double[] {reading.sigma()});
  }

  // A place between the last point of a period and the first lies behind the last.
  private static double middle(int[] points, double[] weights, Axis axis) {
    int low = Arrays.stream(points).min().orElseThrow();
    int high = Arrays.stream(points).max().orElseThrow();
    boolean around = axis.periodic() && high - low > axis.points() / 2;
    double sum = 0;
    for (int i = 0; i < points.length; i++) {
      boolean behind = around && points[i] < axis.points() / 2;
      sum += weights[i] * (behind ? points[i] + axis.points() : points[i]);
    }
    return sum;
  }

  /** A table that {@code perflow reconstruct} reads, with all digits. */
  static String table(Readings readings) {
    Problem problem = readings.problem();
    Grid grid = problem.grid();
    StringBuilder table = new StringBuilder();
    problem.frames().ifPresent(axis -> table.append(axis.name()).append(','));
    table.append(grid.rows().name()).append(',').append(grid.columns().name());
    table.append(",quantity,value,sigma\n");
    for (Readings.Reading reading : readings.all()) {
      Sensor at = sensor(0, grid, reading);
      int frame = reading.channel() % problem.frameCount();
      problem.frames().ifPresent(axis -> table.append(axis.coordinate(frame)).append(','));
      table.append(SensorReadings.coordinate(grid.rows(), at.row())).append(',');
      table.append(SensorReadings.coordinate(grid.columns(), at.column())).append(',');
      table.append(problem.quantities().get(reading.channel() / problem.frameCount()).name());
      table.append(',').append(reading.value()).append(',').append(reading.sigma()).append('\n');
    }
    return table.toString();
  }
}
