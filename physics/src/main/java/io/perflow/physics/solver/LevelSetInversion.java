package io.perflow.physics.solver;

import io.perflow.physics.equation.Inversion;
import io.perflow.physics.prior.Sensing;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tasks;
import io.perflow.tensor.Tensor;
import java.util.Arrays;
import java.util.Comparator;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * The readings of permeability and pressure as functions of the level set function x.
 *
 * <p>A reading of a gives only the sign of x. Its misfit is the distance of x on the wrong side of
 * a small {@link #MARGIN}, and 0 everywhere on the right side. A reading between the two values, as
 * from a sensor between grid points, means that x is near 0. A grid point whose permeability was
 * read has exactly that value, not that of the band.
 */
final class LevelSetInversion implements Inversion {
  private static final double MARGIN = 0.04; // in standard deviations of x
  private static final double SIGN_ERROR = 0.02;
  private static final double EDGE_ERROR = 0.1;
  private static final double CLEAR = 0.8; // part of the way from the middle to high or low
  private static final double DOUBTFUL = 0.25; // noise in units of half the difference
  private static final double TOLERANCE = 1e-8; // of pressures that are read together
  private static final int CHUNK = 128; // readings whose derivatives are held as fields at a time

  private final LevelSetCauses causes;
  private final Sensing sensing;
  private final int n;
  private final int[] sides; // of readings: ±1 for a clear one of a, otherwise 0
  private final double[] values;
  private final double[] errors;
  private final double[] pins; // permeabilities that are known, 0 where none is
  private final int[] pressures; // readings of p, from the first row of the grid to the last

  LevelSetInversion(LevelSetCauses causes, Sensing sensing, Tensor read, Tensor errors) {
    this.causes = causes;
    this.sensing = sensing;
    n = causes.darcy().size();
    values = read.toDoubles();
    this.errors = errors.toDoubles();
    sides = new int[values.length];
    double[] pinned = new double[values.length];
    for (int i = 0; i < values.length; i++) {
      if (sensing.channel(i) == 0) {
        double scale = causes.normalization().scale().get(0);
        double side = causes.side(values[i] * scale + causes.normalization().mean().get(0));
        double noise = sensing.sigma(i) * scale / Math.abs(causes.half());
        boolean clear = Math.abs(side) > CLEAR;
        sides[i] = clear ? (int) Math.signum(side) : 0;
        pinned[i] = noise < DOUBTFUL ? sides[i] : 0;
        values[i] = 0;
        this.errors[i] = (clear ? SIGN_ERROR : EDGE_ERROR) + noise;
      }
    }
    pins = pins(pinned);
    pressures =
        rows(i -> sensing.channel(i) == 1)
            .boxed()
            .sorted(Comparator.comparingInt(this::row))
            .mapToInt(i -> i)
            .toArray();
  }

  // Grid points on which a sensor lies, or several of the same side around it.
  private double[] pins(double[] pinned) {
    Tensor weights = sensing.spread(Tensor.of(pinned, 1, pinned.length)).select(1, 0);
    double[] at = weights.contiguous().toDoubles();
    Darcy darcy = causes.darcy();
    for (int u = 0; u < at.length; u++) {
      double sure = Math.abs(at[u]) > 0.999 ? Math.signum(at[u]) : 0;
      at[u] = sure == 0 ? 0 : sure > 0 ? darcy.high() : darcy.low();
    }
    return at;
  }

  @Override
  public Tensor values() {
    return Tensor.of(values, 1, values.length);
  }

  @Override
  public Tensor errors() {
    return Tensor.of(errors, 1, errors.length);
  }

  // (count, n, n) of level sets
  private Tensor permeabilities(Tensor levels) {
    Darcy darcy = causes.darcy();
    double middle = (darcy.high() + darcy.low()) / 2;
    double[] a = levels.div(LevelSetCauses.WIDTH).tanh().mul(causes.half()).add(middle).toDoubles();
    for (int i = 0; i < a.length; i++) {
      double pin = pins[i % pins.length];
      a[i] = pin == 0 ? a[i] : pin;
    }
    return Tensor.of(a, levels.dim(0), n * n);
  }

  @Override
  public Tensor fields(Tensor coefficients) {
    return causes.darcy().fields(permeabilities(causes.levels(coefficients)));
  }

  @Override
  public Tensor read(Tensor coefficients) {
    try (Scope scope = Scope.open()) {
      Tensor x = causes.levels(coefficients);
      Tensor fields =
          causes.normalization().normalize(causes.darcy().fields(permeabilities(x), TOLERANCE));
      int[] plane = {x.dim(0), 1, n, n};
      Tensor shown = Tensor.concat(1, x.reshape(plane), fields.slice(1, 1, 2));
      double[] found = sensing.read(shown).toDoubles();
      for (int i = 0; i < found.length; i++) {
        int side = sides[i % sides.length];
        if (side != 0) {
          found[i] = Math.min(0, side * found[i] - MARGIN);
        }
      }
      return scope.keep(Tensor.of(found, x.dim(0), sides.length));
    }
  }

  @Override
  public Slopes slopes(Tensor coefficients) {
    try (Scope scope = Scope.open()) {
      Tensor x = causes.levels(coefficients);
      Tensor onGrid = Tensor.concat(1, x.reshape(1, 1, n, n), x.zerosLike().reshape(1, 1, n, n));
      double[] level = sensing.read(onGrid).toDoubles();
      int[] active = rows(i -> sensing.channel(i) == 0 && sides[i] * level[i] < MARGIN).toArray();
      int rank = causes.rank();
      double[] out = new double[(pressures.length + active.length) * rank];
      pressures(x, out);
      for (int i = 0; i < active.length; i++) {
        System.arraycopy(level(active[i]), 0, out, (pressures.length + i) * rank, rank);
      }
      int[] all = IntStream.concat(Arrays.stream(pressures), Arrays.stream(active)).toArray();
      return new Slopes(all, scope.keep(Tensor.of(out, all.length, rank)));
    }
  }

  private IntStream rows(IntPredicate wanted) {
    return IntStream.range(0, values.length).filter(wanted);
  }

  // Returns the first row of the grid on which a reading depends.
  private int row(int reading) {
    return Arrays.stream(points(reading)).min().orElseThrow() / n;
  }

  private int[] points(int reading) {
    return Arrays.stream(sensing.entries(reading)).map(e -> e % (n * n)).toArray();
  }

  // A reading of a, which counts as one of x times its side.
  private double[] level(int reading) {
    double[] weights = sensing.weights(reading);
    double sign = sides[reading] == 0 ? 1 : sides[reading];
    Tensor row = Tensor.of(weights, 1, weights.length).matmul(causes.slopes(points(reading)));
    return row.mul(sign).toDoubles();
  }

  private void pressures(Tensor x, double[] out) {
    Tensor a = permeabilities(x);
    double[] p = causes.darcy().fields(a).select(1, 1).contiguous().toDoubles();
    DarcyDerivative derivative = new DarcyDerivative(causes.darcy(), a.toDoubles(), p);
    Tensor slope = slopesOfPermeability(x).div(causes.normalization().scale().get(1));
    int rank = causes.rank();
    Tasks.run(
        (pressures.length + CHUNK - 1) / CHUNK,
        chunk -> {
          try (Scope _ = Scope.open()) {
            int from = chunk * CHUNK;
            int end = Math.min(pressures.length, from + CHUNK);
            Tensor[] rows = derivative.adjoint(weights(Arrays.copyOfRange(pressures, from, end)));
            Arrays.setAll(rows, i -> rows[i].mul(slope.select(0, i)));
            double[] found = causes.pull(rows).transpose().toDoubles();
            System.arraycopy(found, 0, out, from * rank, found.length);
          }
        });
  }

  // of pressures in some readings, by rows of the grid
  private Tensor[] weights(int[] readings) {
    int[] columns = new int[n]; // readings that have begun, which come first
    for (int reading : readings) {
      columns[row(reading)]++;
    }
    Arrays.parallelPrefix(columns, Integer::sum);
    double[][] rows = new double[n][];
    Arrays.setAll(rows, i -> new double[n * columns[i]]);
    for (int f = 0; f < readings.length; f++) {
      int[] points = points(readings[f]);
      double[] weights = sensing.weights(readings[f]);
      for (int e = 0; e < points.length; e++) {
        int row = points[e] / n;
        rows[row][points[e] % n * columns[row] + f] += weights[e];
      }
    }
    Tensor[] all = new Tensor[n];
    Arrays.setAll(all, i -> Tensor.of(rows[i], n, columns[i]));
    return all;
  }

  // the derivative of the permeability by x, [n, n, 1]
  private Tensor slopesOfPermeability(Tensor x) {
    double[] level = x.toDoubles();
    for (int u = 0; u < level.length; u++) {
      double t = Math.tanh(level[u] / LevelSetCauses.WIDTH);
      level[u] = pins[u] == 0 ? causes.half() * (1 - t * t) / LevelSetCauses.WIDTH : 0;
    }
    return Tensor.of(level, n, n, 1);
  }
}
