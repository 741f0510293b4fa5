package io.perflow.physics;

import io.perflow.physics.Readings.Reading;
import io.perflow.physics.constraint.Affine;
import io.perflow.physics.constraint.AffineConstraint;
import io.perflow.physics.constraint.Measured;
import io.perflow.physics.constraint.SparseMatrix;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Readings grouped by what they read: several of the same value count as their mean. */
final class Agreement {
  private static final double FARTHEST_APART = 6; // standard deviations: never seen by chance

  private final Problem problem;
  private final boolean onGrid;
  private final Collection<List<Reading>> groups;

  private Agreement(Problem problem, boolean onGrid, Collection<List<Reading>> groups) {
    this.problem = problem;
    this.onGrid = onGrid;
    this.groups = groups;
  }

  static Agreement of(Readings readings) {
    Map<ReadingKey, List<Reading>> same = new LinkedHashMap<>();
    for (Reading reading : readings.all()) {
      same.computeIfAbsent(ReadingKey.of(reading), _ -> new ArrayList<>()).add(reading);
    }
    return new Agreement(readings.problem(), readings.onGrid(), same.values());
  }

  /** The condition H x = y; empty without readings. */
  Optional<AffineConstraint> condition() {
    if (groups.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(onGrid ? measured() : affine());
  }

  private AffineConstraint measured() {
    int cells = problem.grid().cells();
    double[] mask = new double[problem.channelCount() * cells];
    double[] values = new double[mask.length];
    for (List<Reading> readings : groups) {
      int entry = readings.getFirst().channel() * cells + readings.getFirst().nearest();
      mask[entry] = 1;
      values[entry] = mean(readings);
    }
    int[] shape = problem.batch(1).toArray();
    return Measured.of(Tensor.of(mask, shape), Tensor.of(values, shape));
  }

  private AffineConstraint affine() {
    int points = problem.grid().cells();
    SparseMatrix.Builder matrix = SparseMatrix.of(groups.size(), problem.channelCount() * points);
    double[] wanted = new double[groups.size()];
    int row = 0;
    for (List<Reading> readings : groups) {
      Reading first = readings.getFirst();
      int[] cells = first.cells();
      double[] weights = first.weights();
      for (int i = 0; i < cells.length; i++) {
        matrix.add(row, first.channel() * points + cells[i], weights[i]);
      }
      wanted[row++] = mean(readings);
    }
    return Affine.of("sensors", matrix.build(), Tensor.of(wanted, wanted.length));
  }

  /**
   * Warnings about readings of the same value that differ by more than their noise, one line for
   * each value; their mean is used.
   */
  List<String> conflicts() {
    List<String> lines = new ArrayList<>();
    for (List<Reading> readings : groups) {
      Reading low = Collections.min(readings, Comparator.comparingDouble(Reading::value));
      Reading high = Collections.max(readings, Comparator.comparingDouble(Reading::value));
      double apart = (high.value() - low.value()) / Math.hypot(low.sigma(), high.sigma());
      if (apart > FARTHEST_APART) {
        lines.add(
            String.format(
                Locale.ROOT,
                "%s and %s read %s at the same place as %s ± %s and %s ± %s, %.3g deviations apart:"
                    + " check them; their mean is used",
                low.source(),
                high.source(),
                problem.channels().get(low.channel()),
                low.value(),
                low.sigma(),
                high.value(),
                high.sigma(),
                apart));
      }
    }
    return lines;
  }

  /** The mean weighted by 1 / sigma², in which exact readings outweigh all others. */
  static double mean(List<Reading> readings) {
    // relative to the smallest sigma, whose square may be too small for a number
    double least = readings.stream().mapToDouble(Reading::sigma).min().orElseThrow();
    double sum = 0;
    double weights = 0;
    for (Reading reading : readings) {
      double ratio = reading.sigma() == least ? 1 : least / reading.sigma();
      sum += ratio * ratio * reading.value();
      weights += ratio * ratio;
    }
    return sum / weights;
  }
}
