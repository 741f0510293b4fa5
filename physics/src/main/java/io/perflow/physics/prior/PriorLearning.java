package io.perflow.physics.prior;

import io.perflow.physics.Problem;
import io.perflow.physics.Symmetry;
import io.perflow.physics.constraint.Projector;
import io.perflow.tensor.Cancellation;
import io.perflow.tensor.Check;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The learning of a {@link GaussianPrior}. The sample covariance is computed in a {@link
 * SpectralBasis}, block by block as the symmetries allow. It is then shrunk towards the covariance
 * of a homogeneous distribution, by the amount that makes readings of {@linkplain HeldOut held-out
 * fields} most likely, and cut to the modes that matter.
 */
final class PriorLearning {
  private static final long MOST_ENTRIES = 1L << 25; // of all covariance matrices, 268 MB
  private static final int MOST_VALUES = 1 << 24; // of a field, because files number them in F32
  private static final double NEGLIGIBLE = 1e-12; // part of the largest variance
  private static final double[] NUGGETS = {0.5, 1, 2, 4, 8, 16}; // parts of what the modes leave
  private static final int CHUNK = 512; // fields that are analyzed at a time

  private final Problem problem;
  private final Tensor fields;
  private final HeldOut held;
  private final Tensor mean;
  private final SpectralBasis basis;

  private PriorLearning(Problem problem, Tensor fields, Tensor held) {
    this.problem = problem;
    this.fields = fields;
    this.held = HeldOut.of(problem, held);
    mean = mean(problem, fields);
    int some = Math.min(fields.dim(0), SpectralBasis.FIELDS);
    basis = SpectralBasis.of(problem, fields.slice(0, 0, some).to(DataType.F32).sub(mean));
  }

  static GaussianPrior of(
      Problem problem, Projector projector, Tensor fields, Tensor held, int rank) {
    try (Scope _ = Scope.open()) {
      PriorLearning learning = new PriorLearning(problem, fields, held);
      List<Candidate> candidates = new ArrayList<>();
      candidates.add(learning.candidate(Blocks.Kind.SYMMETRY));
      candidates.add(learning.candidate(Blocks.Kind.WAVES));
      HeldOut.Choice best = learning.held.best(candidates, learning.mean);
      return GaussianPrior.of(problem, projector, learning.cut(best, rank))
          .nugget(learning.held, 0, NUGGETS);
    }
  }

  static void check(Problem problem, Tensor fields, Tensor held, int rank) {
    problem.check("prior", fields);
    problem.check("prior", held);
    Check.that(
        fields.dim(0) >= 2 && held.dim(0) >= 1,
        "prior",
        "%d fields and %d held out: at least 2 and 1 are needed",
        fields.dim(0),
        held.dim(0));
    Check.that(rank >= 1, "prior", "%d modes: at least 1 is needed", rank);
    int values = problem.batch(1).size();
    Check.that(
        values <= MOST_VALUES, "prior", "fields of %d values: at most %d", values, MOST_VALUES);
    for (Tensor some : List.of(fields, held)) {
      try (Scope _ = Scope.open()) {
        boolean finite = Arrays.stream(some.mean(0).toDoubles()).allMatch(Double::isFinite);
        Check.that(finite, "prior", "fields %s hold numbers that are not finite", some.shape());
      }
    }
  }

  // ---- the mean

  // The mean is averaged over the symmetries, too: it has only coefficients that they do not
  // change.
  private static Tensor mean(Problem problem, Tensor fields) {
    Tensor plain = diagonallyAveraged(problem, fields.mean(true, 0).to(DataType.F64));
    SpectralBasis all = SpectralBasis.of(problem, plain);
    Blocks blocks = Blocks.of(all, Blocks.Kind.SYMMETRY);
    double[] c = all.analyze(plain).toDoubles();
    boolean[] kept = blocks.invariant();
    for (int i = 0; i < c.length; i++) {
      c[i] = kept[i] ? c[i] : 0;
    }
    return all.synthesize(blocks.transposed(Tensor.of(c, 1, c.length))).to(DataType.F32);
  }

  private static Tensor diagonallyAveraged(Problem problem, Tensor field) {
    if (problem.symmetries().stream()
        .noneMatch(s -> s.kind() == Symmetry.Kind.SHIFT && s.axes().size() == 2)) {
      return field;
    }
    int height = problem.grid().height();
    int width = problem.grid().width();
    // Fractions of the period that are whole numbers of points along both axes.
    int parts = BigInteger.valueOf(height).gcd(BigInteger.valueOf(width)).intValueExact();
    Tensor sum = field;
    for (int s = 1; s < parts; s++) {
      int[] down = new int[height];
      int[] up = new int[width];
      int rows = s * (height / parts);
      int columns = width - s * (width / parts);
      Arrays.setAll(down, i -> (i + rows) % height);
      Arrays.setAll(up, i -> (i + columns) % width);
      sum = sum.add(field.gather(2, down).gather(3, up));
    }
    return sum.div(parts);
  }

  // ---- candidates

  private Candidate candidate(Blocks.Kind kind) {
    double[] lost = new double[problem.channelCount()];
    Blocks blocks = blocks(kind);
    List<double[]> sums = blocks.zeros();
    int count = fields.dim(0);
    for (int from = 0; from < count; from += CHUNK) {
      Cancellation.check();
      try (Scope _ = Scope.open()) {
        Tensor some = fields.slice(0, from, Math.min(count, from + CHUNK));
        blocks.add(sums, analyze(some.to(DataType.F32).sub(mean), blocks.basis(), lost));
      }
    }
    for (int c = 0; c < lost.length; c++) {
      lost[c] = Math.max(0, lost[c] / count / problem.grid().cells());
    }
    return new Candidate(kind, blocks, blocks.covariances(sums, count), lost);
  }

  // As many coefficients as their covariances have room for.
  private Blocks blocks(Blocks.Kind kind) {
    int[] ranking = basis.ranking();
    int count = ranking.length;
    while (count > 1
        && basis.variance(ranking[count - 1]) <= NEGLIGIBLE * basis.variance(ranking[0])) {
      count--;
    }
    Blocks blocks = Blocks.of(basis.keep(Arrays.copyOf(ranking, count)), kind);
    while (blocks.entries() > MOST_ENTRIES && count > 1) {
      count = count * 15 / 16;
      // Partners of equal variance stay together.
      while (count > 1 && basis.variance(ranking[count]) == basis.variance(ranking[count - 1])) {
        count--;
      }
      blocks = Blocks.of(basis.keep(Arrays.copyOf(ranking, count)), kind);
    }
    return blocks;
  }

  // Adds to each channel the squares that the basis leaves out.
  private static Tensor analyze(Tensor centred, SpectralBasis basis, double[] lost) {
    Tensor coefficients = basis.analyze(centred);
    double[] all = centred.square().sum(0, 2, 3).toDoubles();
    double[] kept = coefficients.square().sum(0).toDoubles();
    for (int c = 0; c < lost.length; c++) {
      lost[c] += all[c];
    }
    for (int i = 0; i < kept.length; i++) {
      lost[basis.channel(basis.number(i))] -= kept[i];
    }
    return coefficients;
  }

  // ---- the prior

  private Compact cut(HeldOut.Choice choice, int rank) {
    Candidate chosen = choice.candidate();
    PivotedCholesky factors = PivotedCholesky.of(chosen.shrunk(choice.shrinkage()), rank);
    double[] left = left(chosen, factors);
    List<Double> nugget =
        Arrays.stream(left).mapToObj(v -> Math.max(HeldOut.FLOOR, Math.sqrt(v))).toList();
    Map<String, Object> notes = new LinkedHashMap<>();
    notes.put("fields", fields.dim(0));
    notes.put("blocks", chosen.kind().toString());
    notes.put("shrinkage", choice.shrinkage());
    return Compact.of(mean, chosen.blocks(), factors, nugget, notes);
  }

  // The mean variance, in each channel, of what the factors and the basis leave.
  private double[] left(Candidate chosen, PivotedCholesky factors) {
    SpectralBasis kept = chosen.blocks().basis();
    double[] left = chosen.lost().clone();
    for (int b = 0; b < chosen.covariances().size(); b++) {
      int[] block = chosen.blocks().members().get(b);
      for (int i = 0; i < block.length; i++) {
        int channel = kept.channel(kept.number(block[i]));
        left[channel] += factors.left(b)[i] / problem.grid().cells();
      }
    }
    return left;
  }
}
