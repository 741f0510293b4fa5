package io.perflow.flow.baseline;

import io.perflow.flow.Condition;
import io.perflow.flow.Ensemble;
import io.perflow.flow.FlowConfig;
import io.perflow.flow.Objective;
import io.perflow.flow.Observations;
import io.perflow.flow.OdeSolver;
import io.perflow.flow.Reconstructor;
import io.perflow.flow.VelocityField;
import io.perflow.nn.Loss;
import io.perflow.nn.Weights;
import io.perflow.nn.unet.UNet;
import io.perflow.tensor.Cancellation;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The system FM, conditional flow matching (Lipman et al., 2023): a plain rectified flow with
 * another {@link ProbabilityPath}.
 *
 * <p>The network predicts either the velocity, and the loss is its mean square error, or the field
 * x̂₁. In the second case the velocity at x is (σ'/σ) x + g x̂₁ with g = α' - α σ'/σ, and the loss
 * is |x̂₁ - x₁|² min(g, 4)², the loss of the velocity with its pole cut off as in the rectified
 * flow.
 */
public final class FlowMatching implements Objective {
  private static final String SYSTEM = "flow-matching";
  private static final double LARGEST_GAIN = 4;

  private final ConditionalNetwork network;
  private final ProbabilityPath path;

  private FlowMatching(FlowConfig setting, ProbabilityPath path, Rng rng) {
    network = new ConditionalNetwork(setting, rng);
    this.path = path;
  }

  /** Returns an untrained system; the problem's projections are not used. */
  public static FlowMatching of(FlowConfig setting, ProbabilityPath path, Rng rng) {
    return new FlowMatching(setting, path, rng);
  }

  /** Reads what {@link #save} or a {@link io.perflow.flow.Trainer} wrote. */
  public static FlowMatching load(Path file) throws IOException {
    Description read = Description.read(SYSTEM, file);
    ProbabilityPath path =
        read.text("path").equals("ot")
            ? new ProbabilityPath.OptimalTransport(read.number("sigma_min"))
            : new ProbabilityPath.VariancePreserving(
                read.number("beta_min"), read.number("beta_max"));
    FlowMatching system = new FlowMatching(read.setting(), path, Rng.of(0));
    Weights.load(file, system.network());
    return system;
  }

  /** Writes description and weights. */
  public void save(Path file) throws IOException {
    Weights.save(file, network(), description());
  }

  /** Returns fields, units, network, condition and noise. */
  public FlowConfig setting() {
    return network.setting();
  }

  @Override
  public UNet network() {
    return network.layers();
  }

  @Override
  public Map<String, String> description() {
    return Description.write(SYSTEM, setting(), path.toJson());
  }

  @Override
  public Tensor loss(Tensor fields, Rng rng) {
    int batch = fields.dim(0);
    Device device = fields.device();
    Condition condition = network.drawCondition(fields, rng.split("mask"));
    Tensor x0 = network.noise(rng.split("noise"), batch, device);
    Tensor drawn = setting().times().draw(rng.split("time"), batch).to(device);
    Tensor t = path.last() < 1 ? drawn.clamp(0, path.last()) : drawn;
    Tensor x = path.state(x0, fields, t);
    if (setting().prediction() == FlowConfig.Prediction.VELOCITY) {
      Tensor found = network.output(x, t, condition);
      return Loss.meanSquaredError(found, path.velocity(x0, fields, t));
    }
    Tensor weight = path.each(t, mix -> Math.min(mix.gain(), LARGEST_GAIN));
    return network.field(x, t, condition).sub(fields).mul(weight).square().mean();
  }

  /**
   * Returns a sampler that uses an ODE solver.
   *
   * @param batch the number of samples that run at once
   */
  public Reconstructor sampler(OdeSolver solver, int batch) {
    return new Sampler(solver, batch);
  }

  private final class Sampler implements Reconstructor {
    private final OdeSolver solver;
    private final int batch;

    Sampler(OdeSolver solver, int batch) {
      this.solver = solver;
      this.batch = batch;
    }

    @Override
    public String name() {
      return "FM-" + solver.describe();
    }

    @Override
    public Ensemble reconstruct(Observations seen, int count, Rng rng) {
      return Drawing.draw(
          name(), setting().problem(), seen, count, batch, rng, streams -> paths(seen, streams));
    }

    private Tensor paths(Observations seen, List<Rng> streams) {
      int size = streams.size();
      Device device = seen.values().device();
      Condition given = network.given(seen);
      Tensor start = Drawing.each(streams, stream -> network.noise(stream, 1, device));
      double end = Math.min(path.last(), 1 - solver.resolution());
      VelocityField velocity =
          (x, t) -> {
            Cancellation.check();
            try (Scope scope = Scope.open()) {
              Tensor time = Tensor.full(device, Shape.of(size), DataType.F32, t);
              if (setting().prediction() == FlowConfig.Prediction.VELOCITY) {
                return scope.keep(network.output(x, time, given));
              }
              ProbabilityPath.Mix mix = path.at(Math.min(t, end));
              Tensor field = network.field(x, time, given).mul(mix.gain());
              return scope.keep(field.addScaled(x, mix.sigmaRate() / mix.sigma()));
            }
          };
      int steps = (int) Math.round(1 / solver.resolution());
      return solver.integrate(
          velocity,
          start,
          (t, x) -> {
            DivergedException.check(name(), x, (int) Math.round(t * steps), steps);
            return x;
          });
    }
  }
}
