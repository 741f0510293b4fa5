package io.perflow.cli.studio;

import io.perflow.physics.Axis;
import io.perflow.physics.Grid;
import io.perflow.physics.Problem;
import io.perflow.physics.Readings;
import java.util.ArrayList;
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
    int[] cells = reading.cells();
    double[] weights = reading.weights();
    double row = 0;
    double column = 0;
    for (int i = 0; i < cells.length; i++) {
      row += weights[i] * near(cells[i] / width, cells[0] / width, grid.rows());
      column += weights[i] * near(cells[i] % width, cells[0] % width, grid.columns());
    }
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

  // a place between the last point of a period and the first lies behind the last
  private static double near(int point, int other, Axis axis) {
    boolean around = axis.periodic() && Math.abs(point - other) > axis.points() / 2;
    return around && point < other ? point + axis.points() : point;
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
