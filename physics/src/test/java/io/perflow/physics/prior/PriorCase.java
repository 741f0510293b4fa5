package io.perflow.physics.prior;

import io.perflow.physics.Axis;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.Sensors;
import io.perflow.physics.constraint.Projector;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import org.ejml.simple.SimpleMatrix;

/** Small problems of every kind, with smooth Gaussian fields whose covariance is known. */
enum PriorCase {
  WALLS(Problem.named("walls").axis("y", 0, 1, 6).axis("x", 0, 1, 9).channel("f").channel("g")),
  MIRRORS(
      Problem.named("mirrors")
          .axis(Axis.of("y", 0, 1, 7).cells())
          .axis("x", 0, 1, 8)
          .channel("f")
          .channel("g")
          .symmetries("mirror:y", "mirror:x:-g")),
  SQUARE(
      Problem.named("square")
          .axis("y", 0, 1, 8)
          .axis("x", 0, 1, 8)
          .channel("f")
          .symmetries("mirror:y", "mirror:x", "transpose")),
  ONE_MIRROR_TRANSPOSED(
      Problem.named("implied")
          .axis("y", 0, 1, 7)
          .axis("x", 0, 1, 7)
          .channel("f")
          .channel("g")
          .symmetries("mirror:x:-g", "transpose")),
  BURGERS(
      Problem.named("burgers")
          .axis(Axis.time("t", 0, 1, 6))
          .axis(Axis.periodic("x", 0, 1, 10))
          .channel("u")
          .sensors(Sensors.lines("x", 2))
          .symmetries("mirror:x:-u", "shift:x")),
  CELLS(
      Problem.named("cells")
          .axis(Axis.periodic("y", 0, 1, 6).cells())
          .axis(Axis.of("x", 0, 1, 7))
          .channel("f")
          .channel("g")
          .symmetries("shift:y", "mirror:y:-f", "mirror:x")),
  PERIODIC(
      Problem.named("periodic")
          .axis(Axis.periodic("y", 0, 1, 8))
          .axis(Axis.periodic("x", 0, 1, 7))
          .channel("f")
          .channel("g")
          .symmetries("shift:y", "shift:x")),
  IMPLIED_SHIFT(
      Problem.named("torus")
          .axis(Axis.periodic("y", 0, 1, 6).cells())
          .axis(Axis.periodic("x", 0, 1, 6).cells())
          .channel("f")
          .symmetries("shift:x", "mirror:y", "transpose")),
  FRAMES(
      Problem.named("frames")
          .frames(Axis.time("t", 0, 1, 3))
          .axis(Axis.periodic("y", 0, 1, 6))
          .axis(Axis.periodic("x", 0, 1, 6))
          .channel("f")
          .channel("g")
          .sensors(Sensors.points(5).sharing(Sensors.Sharing.PER_FRAME))
          .symmetries("mirror:x:-g")),
  FIXED(
      Problem.named("fixed")
          .axis("y", 0, 1, 8)
          .axis("x", 0, 1, 8)
          .channel("f")
          .sensors(Sensors.at(List.of(List.of(0.2, 0.5), List.of(0.8, 0.1))))),
  LINE(Problem.named("line").axis("y", 0, 0, 1).axis("x", 0, 1, 16).channel("f")),
  POINT(
      Problem.named("point")
          .axis(Axis.periodic("y", 0, 1, 1))
          .axis(Axis.periodic("x", 0, 1, 1))
          .channel("f")
          .channel("g"));

  private final Problem problem;

  PriorCase(Problem.Builder builder) {
    problem = builder.build();
  }

  Problem problem() {
    return problem;
  }

  /** Smooth fields: mean 1 in the first channel, every channel correlated with the one before. */
  Tensor fields(int count, long seed) {
    return fields(problem, count, seed);
  }

  static Tensor fields(Problem problem, int count, long seed) {
    Tensor white = Rng.of(seed).normal(Device.cpu(), problem.batch(count), DataType.F64);
    Tensor rows = tensor(smoothing(problem.grid().rows()));
    Tensor columns = tensor(smoothing(problem.grid().columns()));
    Tensor mixed = rows.matmul(white).matmul(columns.transpose());
    Tensor[] channels = mixed.split(1, ones(problem.channelCount()));
    for (int c = 1; c < channels.length; c++) {
      channels[c] = channels[c].add(channels[c - 1].mul(0.5));
    }
    channels[0] = channels[0].add(1);
    return Tensor.concat(1, channels).to(DataType.F32);
  }

  private static int[] ones(int count) {
    int[] ones = new int[count];
    Arrays.fill(ones, 1);
    return ones;
  }

  /** The covariance of fields of one channel. */
  static SimpleMatrix covariance(Problem problem) {
    SimpleMatrix rows = smoothing(problem.grid().rows());
    SimpleMatrix columns = smoothing(problem.grid().columns());
    return rows.mult(rows.transpose()).kron(columns.mult(columns.transpose()));
  }

  // three averages over neighbours; beyond a wall the last value goes on
  private static SimpleMatrix smoothing(Axis axis) {
    int n = axis.points();
    SimpleMatrix once = new SimpleMatrix(n, n);
    for (int i = 0; i < n; i++) {
      int before = axis.periodic() ? (i + n - 1) % n : Math.max(0, i - 1);
      int after = axis.periodic() ? (i + 1) % n : Math.min(n - 1, i + 1);
      once.set(i, i, once.get(i, i) + 0.6);
      once.set(i, before, once.get(i, before) + 0.2);
      once.set(i, after, once.get(i, after) + 0.2);
    }
    return once.mult(once).mult(once);
  }

  static Tensor tensor(SimpleMatrix matrix) {
    return Tensor.of(matrix.getDDRM().data.clone(), matrix.getNumRows(), matrix.getNumCols());
  }

  static SimpleMatrix matrix(Tensor tensor) {
    return new SimpleMatrix(tensor.dim(0), tensor.dim(1), true, tensor.toDoubles());
  }

  /** The units of fields that are not normalized. */
  static Normalization units(Problem problem) {
    return Normalization.identity(problem.channelCount());
  }

  /** The prior of some fields, with as many modes as there are. */
  GaussianPrior prior(int count) {
    return prior(count, 4000);
  }

  GaussianPrior prior(int count, int rank) {
    return GaussianPrior.learn(
        problem, PriorCase.units(problem), Projector.none(), fields(count, 1), fields(20, 2), rank);
  }

  /** S Sᵀ. */
  static SimpleMatrix covariance(GaussianPrior prior) {
    SimpleMatrix modes = matrix(prior.modes());
    return modes.mult(modes.transpose());
  }
}
