package io.perflow.physics.interpolation;

import java.util.Optional;

/**
 * A thin-plate spline that fills a grid, or one spline for every point when there are too many
 * readings.
 */
final class ThinPlate {
  // A Cholesky factorization of this size takes about a second.
  private static final int AT_ONCE = 2000;
  // Splines forget distant readings quickly; with fewer than a quarter of a period the seam shows.
  private static final double REACH = 0.25;
  private static final int NEAREST = 64;

  private ThinPlate() {}

  /** Fills the grid; the readings are not yet repeated along periodic axes. */
  static double[] fill(Readings readings) {
    Readings all = readings.tiled();
    if (all.size() <= AT_ONCE) {
      return atOnce(all);
    }
    Optional<Readings> near =
        readings.size() < AT_ONCE ? readings.tiled(AT_ONCE, REACH) : Optional.empty();
    return near.map(ThinPlate::atOnce).orElseGet(() -> pointByPoint(all));
  }

  private static double[] atOnce(Readings readings) {
    Lattice lattice = readings.lattice();
    double[] values = readings.values();
    Spline spline = Spline.through(readings.x(), readings.y(), values, tolerance(lattice));
    return lattice.map(
        (row, column) -> spline.at(row * lattice.rowSpacing(), column * lattice.columnSpacing()));
  }

  private static double[] pointByPoint(Readings readings) {
    Lattice lattice = readings.lattice();
    double[] x = readings.x();
    double[] y = readings.y();
    Neighbours neighbours = new Neighbours(readings, NEAREST);
    double[] nearX = new double[NEAREST];
    double[] nearY = new double[NEAREST];
    double[] values = new double[NEAREST];
    return lattice.map(
        (row, column) -> {
          int[] near = neighbours.of(row, column);
          for (int i = 0; i < NEAREST; i++) {
            nearX[i] = x[near[i]];
            nearY[i] = y[near[i]];
            values[i] = readings.value(near[i]);
          }
          Spline spline = Spline.through(nearX, nearY, values, tolerance(lattice));
          return spline.at(row * lattice.rowSpacing(), column * lattice.columnSpacing());
        });
  }

  // Readings on both sides of a line are then less than Readings.SAME apart, so they are one.
  private static double tolerance(Lattice lattice) {
    return Readings.SAME / 2 * lattice.spacing();
  }
}
