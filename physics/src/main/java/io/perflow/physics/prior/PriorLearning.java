package io.perflow.physics.prior;

import io.perflow.physics.Problem;
import io.perflow.physics.Symmetry;
import io.perflow.physics.constraint.Projector;
import io.perflow.tensor.Check;
import io.perflow.tensor.Cholesky;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Learns a {@link GaussianPrior}: the sample covariance in a spectral basis, block by block as the
 * symmetries allow, shrunk towards the covariance of a law that is the same everywhere by as much
 * as makes readings of held-out fields most likely, then cut to the modes that matter.
 */
final class PriorLearning {
  private static final long MOST_ENTRIES = 1L << 25; // of all covariance matrices, 268 MB
  private static final double[] SHRINKAGES = {0, 0.01, 0.03, 0.1, 0.2, 0.35, 0.5, 0.75, 1};
  private static final double[] NUGGETS = {0.5, 1, 2, 4, 8, 16};
  private static final int MASKS = 3; // of sensors by which choices are judged
  private static final int READINGS = 600; // of a mask that are looked at
  private static final double FLOOR = 1e-5; // of the nugget: rounding of single precision
  private static final double NEGLIGIBLE = 1e-12; // part of the largest variance
  private static final int CHUNK = 128; // fields that are analyzed at a time

  private final Problem problem;
  private final Tensor fields;
  private final Tensor held;
  private final Tensor mean;
  private final SpectralBasis basis;

  private PriorLearning(Problem problem, Tensor fields, Tensor held) {
    problem.check("prior", fields);
    problem.check("prior", held);
    Check.that(
        fields.dim(0) >= 2 && held.dim(0) >= 1,
        "prior",
        "%d fields and %d held out: at least 2 and 1 are needed",
        fields.dim(0),
        held.dim(0));
    this.problem = problem;
    this.fields = fields;
    this.held = held;
    mean = mean(problem, fields);
    basis = SpectralBasis.of(problem, fields.to(DataType.F32).sub(mean));
  }

  static GaussianPrior of(
      Problem problem, Projector projector, Tensor fields, Tensor held, int rank) {
    try (Scope _ = Scope.open()) {
      PriorLearning learning = new PriorLearning(problem, fields, held);
      List<Candidate> candidates = new ArrayList<>();
      candidates.add(learning.candidate(Blocks.Kind.SYMMETRY));
      if (problem.grid().rows().periodic() && problem.grid().columns().periodic()) {
        candidates.add(learning.candidate(Blocks.Kind.WAVES));
      }
      learning.judge(candidates);
      Candidate best = candidates.getFirst();
      for (Candidate candidate : candidates) {
        best = candidate.likelihood > best.likelihood ? candidate : best;
      }
      return learning.cut(best, projector, rank);
    }
  }

  // ---- the mean

  // averaged over the symmetries, too: a mean has only coefficients that they leave as they are
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
    boolean diagonal =
        problem.symmetries().stream()
            .anyMatch(s -> s.kind() == Symmetry.Kind.SHIFT && s.axes().size() == 2);
    int n = problem.grid().height();
    if (!diagonal || n != problem.grid().width()) {
      return field;
    }
    Tensor sum = field;
    for (int s = 1; s < n; s++) {
      int[] down = new int[n];
      int[] up = new int[n];
      for (int i = 0; i < n; i++) {
        down[i] = (i + s) % n;
        up[i] = (i + n - s) % n;
      }
      sum = sum.add(field.gather(2, down).gather(3, up));
    }
    return sum.div(n);
  }

  // ---- candidates

  private static final class Candidate {
    private final Blocks.Kind kind;
    private final Blocks blocks;
    private final List<double[]> covariances;
    private final double[] lost; // variance outside the basis, per channel
    private double shrinkage;
    private double likelihood = Double.NEGATIVE_INFINITY;

    Candidate(Blocks.Kind kind, Blocks blocks, List<double[]> covariances, double[] lost) {
      this.kind = kind;
      this.blocks = blocks;
      this.covariances = covariances;
      this.lost = lost;
    }
  }

  private Candidate candidate(Blocks.Kind kind) {
    int channels = problem.channelCount();
    double[] lost = new double[channels];
    Blocks blocks = blocks(kind);
    Tensor coefficients = analyze(blocks.basis(), lost);
    List<double[]> covariances = blocks.covariances(coefficients);
    for (int c = 0; c < channels; c++) {
      lost[c] = Math.max(0, lost[c] / fields.dim(0) / problem.grid().cells());
    }
    return new Candidate(kind, blocks, covariances, lost);
  }

  // as many coefficients as there is room for their covariances
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
      // partners of equal variance stay together
      while (count > 1 && basis.variance(ranking[count]) == basis.variance(ranking[count - 1])) {
        count--;
      }
      blocks = Blocks.of(basis.keep(Arrays.copyOf(ranking, count)), kind);
    }
    return blocks;
  }

  // adds to each channel the squares that the basis leaves out
  private Tensor analyze(SpectralBasis basis, double[] lost) {
    int count = fields.dim(0);
    List<Tensor> parts = new ArrayList<>();
    for (int from = 0; from < count; from += CHUNK) {
      int to = Math.min(count, from + CHUNK);
      try (Scope scope = Scope.open()) {
        Tensor centred = fields.slice(0, from, to).to(DataType.F32).sub(mean);
        Tensor part = basis.analyze(centred);
        double[] all = centred.square().sum(0, 2, 3).toDoubles();
        double[] kept = part.square().sum(0).toDoubles();
        for (int c = 0; c < lost.length; c++) {
          lost[c] += all[c];
        }
        for (int i = 0; i < kept.length; i++) {
          lost[basis.channel(basis.number(i))] -= kept[i];
        }
        parts.add(scope.keep(part));
      }
    }
    return Tensor.concat(0, parts.toArray(Tensor[]::new));
  }

  // ---- choices by held-out readings

  private List<Sensing> sensors() {
    List<Sensing> result = new ArrayList<>();
    Rng rng = Rng.of(1).split("prior");
    for (int m = 0; m < MASKS; m++) {
      Sensing all = Sensing.of(problem, problem.masks().draw(rng, 1), 0);
      int[] some = rng.choice(all.size(), Math.min(all.size(), READINGS));
      Arrays.sort(some);
      result.add(all.select(some));
    }
    return result;
  }

  private void judge(List<Candidate> candidates) {
    for (Candidate candidate : candidates) {
      double[] likelihoods = new double[SHRINKAGES.length];
      boolean whole = candidate.kind == Blocks.Kind.WAVES; // nothing left to shrink
      for (Sensing sensing : sensors()) {
        try (Scope _ = Scope.open()) {
          Tensor full = covariance(candidate, sensing, 0);
          Tensor plain = whole ? full : covariance(candidate, sensing, 1);
          Tensor y = sensing.read(held).sub(sensing.read(mean));
          for (int i = whole ? SHRINKAGES.length - 1 : 0; i < SHRINKAGES.length; i++) {
            double a = SHRINKAGES[i];
            Tensor mixed = full.mul(1 - a).add(plain.mul(a));
            likelihoods[i] += logLikelihood(mixed, nuggets(candidate.lost, sensing), y);
          }
        }
      }
      for (int i = whole ? SHRINKAGES.length - 1 : 0; i < SHRINKAGES.length; i++) {
        if (likelihoods[i] > candidate.likelihood) {
          candidate.likelihood = likelihoods[i];
          candidate.shrinkage = SHRINKAGES[i];
        }
      }
    }
  }

  // H C Hᵀ with the covariance shrunk by a
  private static Tensor covariance(Candidate candidate, Sensing sensing, double a) {
    Tensor rows = candidate.blocks.basis().read(sensing);
    int k = sensing.size();
    Tensor sum = Tensor.of(new double[k * k], k, k);
    List<double[]> covariances = candidate.blocks.shrunk(candidate.covariances, a);
    for (int b = 0; b < covariances.size(); b++) {
      int[] block = candidate.blocks.members().get(b);
      try (Scope scope = Scope.open()) {
        Tensor part = rows.gather(1, block);
        Tensor c = Tensor.of(covariances.get(b), block.length, block.length);
        sum = scope.keep(sum.add(part.matmul(c).matmul(part.transpose())));
      }
    }
    return sum;
  }

  private static double[] nuggets(double[] variances, Sensing sensing) {
    double[] result = new double[sensing.size()];
    Arrays.setAll(result, i -> Math.max(variances[sensing.channel(i)], FLOOR * FLOOR));
    return result;
  }

  // per reading, averaged over the fields y [fields, k]
  private static double logLikelihood(Tensor covariance, double[] nuggets, Tensor y) {
    int k = nuggets.length;
    double[] c = covariance.toDoubles();
    for (int i = 0; i < k; i++) {
      c[i * k + i] += nuggets[i];
    }
    try {
      Cholesky factor = Cholesky.of(Tensor.of(c, k, k));
      double squares = factor.lower(y.transpose().contiguous()).square().sum().item() / y.dim(0);
      return -0.5 * (squares + factor.logDeterminant()) / k;
    } catch (IllegalArgumentException e) { // not positive definite but for rounding: no good choice
      return Double.NEGATIVE_INFINITY;
    }
  }

  // ---- the prior

  private GaussianPrior cut(Candidate chosen, Projector projector, int rank) {
    PivotedCholesky factors =
        PivotedCholesky.of(chosen.blocks.shrunk(chosen.covariances, chosen.shrinkage), rank);
    SpectralBasis basis = chosen.blocks.basis();
    List<int[]> members = chosen.blocks.members();
    List<Integer> ranks = new ArrayList<>();
    double[] left = chosen.lost.clone();
    int numbers = 0;
    for (int b = 0; b < members.size(); b++) {
      ranks.add(factors.columns(b).size());
      numbers += ranks.getLast() * members.get(b).length;
      for (int i = 0; i < members.get(b).length; i++) {
        int channel = basis.channel(basis.number(members.get(b)[i]));
        left[channel] += factors.left(b)[i] / problem.grid().cells();
      }
    }
    float[] packed = new float[numbers];
    int to = 0;
    for (int b = 0; b < members.size(); b++) {
      for (double[] column : factors.columns(b)) {
        for (double value : column) {
          packed[to++] = (float) value;
        }
      }
    }
    Map<String, Object> notes = new LinkedHashMap<>();
    notes.put("fields", fields.dim(0));
    notes.put("blocks", chosen.kind.toString());
    notes.put("shrinkage", chosen.shrinkage);
    double[] numbersOf = new double[basis.size()];
    int place = 0;
    for (int[] block : members) {
      for (int id : block) {
        numbersOf[place++] = basis.number(id);
      }
    }
    Tensor[] functions = basis.functions();
    Map<String, Tensor> tensors = new LinkedHashMap<>();
    // F64 is kept in full where a file is written in half precision
    tensors.put(Compact.MEAN, mean.to(DataType.F64));
    tensors.put(Compact.ROWS, functions[0]);
    tensors.put(Compact.COLUMNS, functions[1]);
    tensors.put(Compact.MEMBERS, Tensor.of(numbersOf, numbersOf.length));
    tensors.put(Compact.FACTORS, Tensor.of(packed, numbers));
    Compact compact =
        new Compact(
            tensors,
            members.stream().map(m -> m.length).toList(),
            ranks,
            Arrays.stream(left).mapToObj(v -> Math.max(FLOOR, Math.sqrt(v))).toList(),
            notes);
    return GaussianPrior.of(problem, projector, compact).nugget(this::likely);
  }

  // the factor of the nugget that makes held-out readings most likely
  private double likely(GaussianPrior prior) {
    double best = Double.NEGATIVE_INFINITY;
    double chosen = 1;
    double[] sums = new double[NUGGETS.length];
    for (Sensing sensing : sensors()) {
      try (Scope _ = Scope.open()) {
        Tensor w = prior.modes().gather(0, sensing.entries()).to(DataType.F64);
        Tensor covariance = w.matmul(w.transpose());
        Tensor y = sensing.read(held).sub(sensing.read(prior.mean()));
        for (int i = 0; i < sums.length; i++) {
          double[] nuggets = new double[sensing.size()];
          for (int s = 0; s < nuggets.length; s++) {
            nuggets[s] = Math.pow(NUGGETS[i] * prior.nugget(sensing.channel(s)), 2);
          }
          sums[i] += logLikelihood(covariance, nuggets, y);
        }
      }
    }
    for (int i = 0; i < sums.length; i++) {
      chosen = sums[i] > best ? NUGGETS[i] : chosen;
      best = Math.max(best, sums[i]);
    }
    return chosen;
  }
}
