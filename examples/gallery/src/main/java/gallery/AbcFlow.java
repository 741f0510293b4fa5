package gallery;

import io.perflow.autograd.Tape;
import io.perflow.cli.figure.FieldPanel;
import io.perflow.cli.figure.Figure;
import io.perflow.nn.Parameter;
import io.perflow.nn.optim.Adam;
import io.perflow.nn.optim.Optimizer;
import io.perflow.physics.constraint.DivergenceFree3d;
import io.perflow.physics.constraint.Projector;
import io.perflow.physics.constraint.VectorPotential;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Fourier;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Map;

/**
 * The flow of Arnold, Beltrami and Childress from noise: all velocities projected, and a twentieth
 * of them fitted by the curl of a vector potential, which has no divergence at any time.
 */
final class AbcFlow implements Picture {
  private static final int N = 24;
  private static final double NOISE = 0.5;
  private static final double SEEN = 0.05;
  private static final int STEPS = 150;
  private static final Shape FIELD = Shape.of(1, 3, N, N, N);
  private static final DivergenceFree3d LAW = DivergenceFree3d.spectral();

  private String numbers = "";

  @Override
  public String name() {
    return "abc.png";
  }

  @Override
  public Figure figure() {
    Rng rng = Rng.of(1);
    Tensor truth = abc();
    Tensor noisy = truth.addScaled(normal(rng.split("noise")), NOISE);
    Tensor projected = Projector.onto(LAW).project(noisy);
    Tensor places = rng.split("places").uniform(Device.cpu(), FIELD.with(1, 1), DataType.F32);
    Tensor mask = places.less(SEEN);
    Tensor fitted = fit(noisy, mask);
    numbers =
        "noisy %s; projected %s; fitted %s"
            .formatted(quality(noisy, truth), quality(projected, truth), quality(fitted, truth));
    return Figure.of(
        slice("true u", truth),
        slice("all readings, noisy", noisy),
        slice("projected", projected),
        readings("readings of 5 %", noisy, mask),
        slice("curl of a potential", fitted).colorBar(""));
  }

  private static String quality(Tensor x, Tensor truth) {
    double error = Math.sqrt(x.sub(truth).square().sum().item() / truth.square().sum().item());
    double divergence = Math.sqrt(LAW.meanSquare(x.to(DataType.F64)).item());
    return "error %.3f, divergence %.1e".formatted(error, divergence);
  }

  /** Fits smooth potentials by least squares, with gradients through the curl. */
  private static Tensor fit(Tensor readings, Tensor mask) {
    Parameter potential = new Parameter("potential", normal(Rng.of(2)).mul(0.01));
    Optimizer optimizer = Adam.of(0.05).build(Map.of(potential.name(), potential));
    for (int step = 0; step < STEPS; step++) {
      try (Scope _ = Scope.open();
          Tape tape = Tape.watching(potential.value())) {
        Tensor misfit = velocity(potential.value()).sub(readings).mul(mask);
        optimizer.step(tape.gradients(misfit.square().sum()));
      }
    }
    return velocity(potential.value());
  }

  // Returns the curl of the potential without its short waves, which few readings cannot resolve.
  private static Tensor velocity(Tensor potential) {
    Tensor smooth = Fourier.irfft(Fourier.rfft(potential, 3).mul(LONG_WAVES), N, N, N);
    return VectorPotential.of(LAW).velocity(smooth);
  }

  private static final Tensor LONG_WAVES = longWaves();

  private static Tensor longWaves() {
    int half = N / 2 + 1;
    float[] factor = new float[N * N * half];
    for (int i = 0; i < factor.length; i++) {
      int x = wave(i / half / N);
      int y = wave(i / half % N);
      int z = i % half;
      factor[i] = (float) Math.exp(-(x * x + y * y + z * z) / 2.0);
    }
    return Scope.detach(Tensor.of(factor, N, N, half, 1));
  }

  private static int wave(int k) {
    return Math.min(k, N - k);
  }

  private static Tensor normal(Rng rng) {
    return rng.normal(Device.cpu(), FIELD, DataType.F32);
  }

  private static Tensor abc() {
    float[] numbers = new float[FIELD.size()];
    int cells = N * N * N;
    for (int i = 0; i < cells; i++) {
      double x = 2 * Math.PI * (i / (N * N)) / N;
      double y = 2 * Math.PI * (i / N % N) / N;
      double z = 2 * Math.PI * (i % N) / N;
      numbers[i] = (float) (Math.sin(z) + Math.cos(y));
      numbers[cells + i] = (float) (Math.sin(x) + Math.cos(z));
      numbers[2 * cells + i] = (float) (Math.sin(y) + Math.cos(x));
    }
    return Tensor.of(numbers, FIELD.toArray());
  }

  // u at the first depth
  private static Tensor plane(Tensor field) {
    return field.slice(2, 0, 1).slice(1, 0, 1).reshape(N, N);
  }

  private static FieldPanel slice(String title, Tensor field) {
    return FieldPanel.of(title, plane(field)).firstAxisAcross().range(-2.5, 2.5);
  }

  private static FieldPanel readings(String title, Tensor field, Tensor mask) {
    return FieldPanel.readings(title, plane(field), plane(mask)).firstAxisAcross().range(-2.5, 2.5);
  }

  @Override
  public String numbers() {
    return numbers;
  }
}
