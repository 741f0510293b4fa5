package io.perflow.physics.constraint;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/**
 * A projector onto the nearest field that satisfies the constraints of a base projector, which has
 * a closed form, and further affine constraints B x = q.
 *
 * <p>With P the base's projection, x ↦ y = P x + p0 and then y - P Bᵀ(B P Bᵀ)⁺(B y - q). Projecting
 * onto both in turn is not enough, because the second projection would violate the first
 * constraints.
 *
 * <p>Works in double precision for fields of any type and rounds once, at the end.
 */
final class JointProjector extends OrthogonalProjector {
  // Up to these sizes systems are factored; larger ones are solved by iteration. Each sample has
  // its own factors for each frame, which beyond these sizes take longer than the iterations of
  // fifty steps.
  private static final int MOST_DENSE_ROWS = 1024;
  private static final int MOST_FRAME_ROWS = 600;

  private static final int MOST_PASSES = 4;

  // Used where the host would have to wait for the size of the remaining misfit. A factor leaves at
  // most 1e-9 in each pass: 1e-16 after two.
  private static final int BLIND_PASSES = 2;

  private final OrthogonalProjector base;
  private final List<AffineConstraint> parts;
  private final boolean frameByFrame;
  private final boolean leastSquares;
  private final Map<Shape, Solver> solvers = new ConcurrentHashMap<>();

  // The shape of the fields for which the constraints were found consistent; consistency does not
  // depend on the field.
  private final Set<Shape> seen = ConcurrentHashMap.newKeySet();

  private record Solver(Rows rows, Correction correction) {}

  /**
   * Creates a projector for {@code constraints}, which are those of the base and the parts
   * together.
   *
   * @param frameByFrame whether the base is translation invariant and couples u and v of one frame
   *     only
   * @param leastSquares whether parts that cannot all hold are satisfied in the least-squares sense
   */
  JointProjector(
      List<? extends Constraint> constraints,
      OrthogonalProjector base,
      List<AffineConstraint> parts,
      boolean frameByFrame,
      boolean leastSquares) {
    super(constraints);
    this.base = base;
    this.parts = List.copyOf(parts);
    this.frameByFrame = frameByFrame;
    this.leastSquares = leastSquares;
  }

  @Override
  Tensor nearest(Tensor x) {
    Tensor exact = x.to(DataType.F64);
    Solver solver = on(x.shape());
    Tensor y = corrected(base.nearest(exact), solver, solver.rows::residual, x.type());
    if (!leastSquares && !(solver.correction.withoutReading(y) && seen.contains(x.shape()))) {
      Conflict.requireMet(constraints(), equations(), exact, y);
      seen.add(x.shape());
    }
    return y.to(x.type());
  }

  @Override
  Tensor linear(Tensor v) {
    Tensor exact = v.to(DataType.F64);
    Solver solver = on(v.shape());
    return corrected(base.linear(exact), solver, solver.rows::linear, v.type()).to(v.type());
  }

  private List<AffineConstraint> equations() {
    return constraints().stream().map(AffineConstraint.class::cast).toList();
  }

  // A second pass removes what the first left by round-off. It ends when that is too small to
  // survive the rounding to the field's type, or no longer improves.
  private static Tensor corrected(
      Tensor start, Solver solver, UnaryOperator<Tensor> misfit, DataType type) {
    Tensor y = start;
    if (solver.correction.withoutReading(start)) {
      for (int pass = 0; pass < BLIND_PASSES; pass++) {
        y = y.sub(solver.correction.of(misfit.apply(y), 0));
      }
      return y;
    }
    double roundOff = type == DataType.F64 ? 1e-15 : 1e-10;
    double enough = roundOff * norm(solver.rows.linear(start));
    double before = Double.POSITIVE_INFINITY;
    for (int pass = 0; pass < MOST_PASSES; pass++) {
      Tensor r = misfit.apply(y);
      double now = norm(r);
      if (now <= enough || now > 0.1 * before) {
        break;
      }
      y = y.sub(solver.correction.of(r, type == DataType.F64 ? 1e-13 : 1e-9));
      before = now;
    }
    return y;
  }

  private static double norm(Tensor r) {
    double norm = Math.sqrt(r.square().sum().item());
    if (Double.isNaN(norm)) {
      throw new IllegalArgumentException("[projector] the field holds numbers that are not finite");
    }
    return norm;
  }

  private Solver on(Shape field) {
    boolean common = alike(field);
    return solvers.computeIfAbsent(common ? field.with(0, 1) : field, f -> solver(f, common));
  }

  // Returns whether B and P are the same for all samples.
  private boolean alike(Shape field) {
    return base.common(field)
        && parts.stream()
            .allMatch(p -> !(p instanceof AllPins a) || a.on(field).mask().exact().dim(0) == 1);
  }

  private Solver solver(Shape field, boolean common) {
    Rows rows = new Rows(parts, field);
    if (frameByFrame && parts.size() == 1 && parts.getFirst() instanceof AllPins pins) {
      Correction byFrame = FrameCorrection.of(base, pins.on(field), field, MOST_FRAME_ROWS);
      if (byFrame != null) {
        return new Solver(rows, byFrame);
      }
    } else if (common) {
      int[] active = rows.active();
      if (active.length <= MOST_DENSE_ROWS) {
        return new Solver(rows, new DenseCorrection(base, rows, active));
      }
    }
    return new Solver(rows, new IterativeCorrection(base, rows, leastSquares));
  }
}
