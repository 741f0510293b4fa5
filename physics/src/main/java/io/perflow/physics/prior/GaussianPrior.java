package io.perflow.physics.prior;

import io.perflow.physics.Dataset;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.ProgressListener;
import io.perflow.physics.constraint.AffineConstraint;
import io.perflow.physics.constraint.Projector;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Json;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntToDoubleFunction;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * The Gaussian distribution that has the mean and the covariance of a problem's fields: x = m + S z
 * with z ~ N(0, I), in normalized units. Geostatistics calls its conditioning on readings kriging.
 *
 * <pre>{@code
 * GaussianPrior prior = GaussianPrior.learn(data);
 * Kriging known = prior.given(Sensing.of(problem, mask, 0));
 * Tensor best = known.mean(values);               // [batch, channels, height, width]
 * Tensor bars = known.deviation();
 * }</pre>
 *
 * <p>The columns of S are the modes. They satisfy the linear constraints of the problem, so every
 * sample does. The part of a field that the modes do not represent is called the nugget and treated
 * as independent noise at every grid point, in addition to the noise of the sensor.
 *
 * <p>A prior does not change, belongs to no scope, and may be used by any number of threads at
 * once.
 */
public final class GaussianPrior {
  /** The default number of modes of a prior. */
  public static final int RANK = 2000;

  // in files
  private static final String OF = "of";
  private static final String CAUSES = "causes";

  // The nuggets of effects to try, in roundings: smoothing equations leave nothing of what the
  // modes of their causes miss, others may leave much.
  private static final double[] EFFECTS = {1, 4, 16, 64, 256, 1024};

  private final Problem problem;
  private final Compact compact;
  private final Tensor mean; // [1, channels, height, width], F32
  private final Modes modes; // [channels · cells, rank], F32
  private final boolean ofCauses; // whether the compact form is that of the causes alone

  private GaussianPrior(
      Problem problem, Compact compact, Tensor mean, Modes modes, boolean ofCauses) {
    this.problem = problem;
    this.compact = compact;
    this.mean = mean;
    this.modes = modes;
    this.ofCauses = ofCauses;
  }

  /**
   * Returns the prior of a compact form, its mean and modes projected onto a problem's linear
   * constraints.
   */
  static GaussianPrior of(Problem problem, Projector projector, Compact compact) {
    Projector flat = flat(projector);
    // Differences of fields satisfy the constraints, and so do modes, up to rounding and the part
    // that the basis omits.
    UnaryOperator<Tensor> finish = mode -> flat.tangent(mode, mode);
    return of(
        problem,
        compact,
        () -> flat.project(compact.mean().to(DataType.F32)).contiguous(),
        compact.modes(problem, problem.batch(1).size(), finish),
        false);
  }

  /**
   * Returns the prior of all quantities of a problem that a compact form of their causes implies.
   */
  private static GaussianPrior of(LinearCauses causes, Projector projector, Compact compact) {
    Problem problem = causes.problem();
    Projector flat = flat(projector);
    UnaryOperator<Tensor> finish =
        mode -> {
          Tensor fields = causes.changes(mode).to(DataType.F32);
          return flat.tangent(fields, fields);
        };
    return of(
        problem,
        compact,
        () -> flat.project(causes.fields(compact.mean()).to(DataType.F32)).contiguous(),
        compact.modes(causes.causes(), problem.batch(1).size(), finish),
        true);
  }

  private static GaussianPrior of(
      Problem problem, Compact compact, Supplier<Tensor> mean, Modes modes, boolean ofCauses) {
    compact.tensors().values().forEach(Scope::detach);
    return new GaussianPrior(problem, compact, Scope.outside(mean), modes, ofCauses);
  }

  // Sums of modes satisfy linear constraints and no others.
  private static Projector flat(Projector projector) {
    return projector.curved()
        ? Projector.onto(
            projector.constraints().stream().filter(c -> c instanceof AffineConstraint).toList())
        : projector;
  }

  /**
   * Returns a copy whose nuggets of a channel and all following ones are multiplied by the factor
   * that makes held-out readings most likely.
   */
  GaussianPrior nugget(HeldOut held, int from, double... factors) {
    double by = held.nuggetFactor(this, from, factors);
    return nuggets(channel -> (channel < from ? 1 : by) * nugget(channel));
  }

  /** Returns a copy with other nuggets of the channels. */
  GaussianPrior nuggets(IntToDoubleFunction ofChannel) {
    List<Double> others =
        IntStream.range(0, problem.channelCount()).mapToDouble(ofChannel).boxed().toList();
    return new GaussianPrior(problem, compact.nuggets(others), mean, modes, ofCauses);
  }

  /**
   * Learns the prior of a data set, in the units of {@link Dataset#normalization}. The last 5 % of
   * the fields (at least 1, at most 64) are held out to choose how much the covariance is shrunk.
   */
  public static GaussianPrior learn(Dataset data) {
    Tensor fields = data.normalization().normalize(data.fields().to(DataType.F32)).contiguous();
    int held = Math.clamp(data.size() / 20, 1, 64);
    Normalization units = data.normalization();
    Projector projector =
        Projector.onto(
            data.problem().constraints().stream().map(c -> c.normalized(units)).toList());
    return learn(
        data.problem(),
        units,
        projector,
        fields.slice(0, 0, data.size() - held),
        fields.slice(0, data.size() - held, data.size()),
        RANK);
  }

  /**
   * Learns a prior from normalized fields. Where the problem states a {@linkplain
   * io.perflow.physics.equation.Equation#linear linear} equation and the held-out fields satisfy
   * it, the prior of the causes is learnt and carried through the equation.
   *
   * @param units the units of the fields
   * @param projector the projector onto the problem's constraints in these units
   * @param fields the training fields, [samples, channels, height, width]
   * @param held other fields of the same kind: the covariance is shrunk by the amount that makes
   *     readings of these most likely
   * @param rank the largest number of modes; there are fewer when the fields have fewer, or when
   *     that many would not fit into 2 GB
   */
  public static GaussianPrior learn(
      Problem problem,
      Normalization units,
      Projector projector,
      Tensor fields,
      Tensor held,
      int rank) {
    PriorLearning.check(problem, fields, held, rank);
    int most = Math.toIntExact(Math.min(rank, mostModes(problem)));
    Optional<LinearCauses> causes = LinearCauses.of(problem, units).filter(c -> c.hold(held));
    if (causes.isEmpty()) {
      return PriorLearning.of(problem, projector, fields, held, most);
    }
    try (Scope _ = Scope.open()) {
      return learn(causes.get(), projector, fields, held, most);
    }
  }

  private static GaussianPrior learn(
      LinearCauses causes, Projector projector, Tensor fields, Tensor held, int rank) {
    Tensor some = causes.select(fields).contiguous();
    Tensor others = causes.select(held).contiguous();
    Compact own = PriorLearning.of(causes.causes(), Projector.none(), some, others, rank).compact;
    List<Double> nuggets = new ArrayList<>(own.nugget());
    int from = nuggets.size();
    int effects = causes.problem().channelCount() - from;
    nuggets.addAll(Collections.nCopies(effects, HeldOut.FLOOR));
    return of(causes, projector, own.nuggets(nuggets))
        .nugget(HeldOut.of(causes.problem(), held), from, EFFECTS);
  }

  private static long mostModes(Problem problem) {
    return Compact.MOST / problem.batch(1).size();
  }

  // ---- properties

  /** Returns the problem of the fields. */
  public Problem problem() {
    return problem;
  }

  /** Returns the mean field, [1, channels, height, width]. */
  public Tensor mean() {
    return mean;
  }

  /** Returns the modes S, [channels · height · width, rank]; S Sᵀ is the covariance. */
  public Tensor modes() {
    return modes(ProgressListener.NONE);
  }

  /**
   * Returns the same and tells a listener how far they are. The modes of a file are made when they
   * are first asked for, which takes seconds.
   */
  public Tensor modes(ProgressListener listener) {
    return modes.get(listener);
  }

  /** Returns the number of modes. */
  public int rank() {
    return modes.rank();
  }

  /**
   * Returns the standard deviation of the nugget, the part of a field's channel that the modes do
   * not represent.
   */
  public double nugget(int channel) {
    return compact.nugget().get(channel);
  }

  /**
   * Returns whether the prior was learnt from the causes of the problem's {@linkplain
   * io.perflow.physics.equation.Equation#linear linear} equation alone and carried through that
   * equation.
   */
  public boolean carried() {
    return ofCauses;
  }

  /**
   * Returns how the prior was learnt: the number of fields, and the choices made with held-out
   * readings.
   */
  public Map<String, Object> description() {
    return compact.description();
  }

  /**
   * Returns the standard deviation of every entry of a field, without the nugget, [1, channels,
   * height, width].
   */
  public Tensor deviation() {
    return modes().square().sum(1).sqrt().reshape(mean.shape());
  }

  // ---- fields and conditioning

  /** Returns m + S z for coefficients z [batch, rank]: fields [batch, channels, height, width]. */
  public Tensor fields(Tensor coefficients) {
    int batch = coefficients.dim(0);
    // [D, rank] times [rank, batch]: the large factor is read once, in the order in which it lies
    // in memory.
    Tensor all = modes();
    Tensor columns = all.matmul(coefficients.to(all.type()).transpose().contiguous());
    return columns.transpose().contiguous().reshape(problem.batch(batch)).add(mean);
  }

  /** Draws unconditional samples. */
  public Tensor samples(Rng rng, int count) {
    return fields(rng.normal(modes().device(), Shape.of(count, rank()), DataType.F32));
  }

  /** Returns what sensors read of the modes: W = H S, [readings, rank] in F64. */
  public Tensor read(Sensing sensing) {
    int r = rank();
    Tensor all = modes();
    double[] rows = new double[Math.multiplyExact(sensing.size(), r)];
    try (Scope _ = Scope.open()) {
      for (int i = 0; i < sensing.size(); i++) {
        for (int e = sensing.start(i); e < sensing.start(i + 1); e++) {
          float[] mode = all.select(0, sensing.entry(e)).toFloats();
          for (int j = 0; j < r; j++) {
            rows[i * r + j] += sensing.weight(e) * mode[j];
          }
        }
      }
    }
    return Tensor.of(rows, sensing.size(), r);
  }

  /** Returns this prior conditioned on the readings of sensors. */
  public Kriging given(Sensing sensing) {
    return Kriging.of(this, sensing);
  }

  // ---- files

  /** Returns the tensors that a file must hold, by names that begin with {@code prior/}. */
  public Map<String, Tensor> tensors() {
    return compact.tensors();
  }

  /** Returns what a file must hold besides the tensors. */
  public Map<String, Object> toJson() {
    Map<String, Object> json = compact.toJson();
    if (ofCauses) {
      json.put(OF, CAUSES);
    }
    return json;
  }

  /**
   * Reads what {@link #toJson} and {@link #tensors} returned.
   *
   * @param units the units of the prior
   * @param projector the projector onto the problem's constraints in these units
   */
  public static GaussianPrior read(
      Problem problem,
      Normalization units,
      Projector projector,
      Object json,
      Map<String, Tensor> tensors)
      throws FileFormatException {
    int channels = problem.channelCount();
    long most = mostModes(problem);
    if (!CAUSES.equals(Json.object(json, "prior").get(OF))) {
      return of(problem, projector, Compact.fromJson(problem, channels, most, json, tensors));
    }
    LinearCauses causes =
        LinearCauses.of(problem, units)
            .orElseThrow(
                () ->
                    new FileFormatException(
                        null, "prior", "is one of causes, but the problem has no linear equation"));
    return of(causes, projector, Compact.fromJson(causes.causes(), channels, most, json, tensors));
  }
}
