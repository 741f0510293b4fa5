package gallery;

import io.perflow.cli.figure.FieldPanel;
import io.perflow.cli.figure.Figure;
import io.perflow.physics.constraint.DivergenceFree;
import io.perflow.physics.constraint.Mass;
import io.perflow.physics.constraint.Projector;
import io.perflow.physics.constraint.StreamFunction;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** A picture of one periodic flow with its mean kept, removed and prescribed. */
final class MeanFlow implements Picture {
  private static final int N = 80;
  private static final DivergenceFree LAW = DivergenceFree.spectral();

  private final List<String> numbers = new ArrayList<>();

  @Override
  public String name() {
    return "mean.png";
  }

  @Override
  public Figure figure() {
    Tensor drift = Tensor.of(new double[] {0.5, 0}, 1, 2, 1, 1);
    Tensor given = Planes.smooth(N, Rng.of(3)).add(drift);
    Mass prescribed = Mass.over(2, 3).values(Tensor.of(new double[] {1, 1}, 1, 2, 1, 1));
    return Figure.of(
        panel("mean kept", Projector.onto(LAW).project(given)),
        panel("mean 0", Projector.onto(LAW, Mass.mean(0)).project(given)),
        panel("mean (1, 1)", Projector.onto(LAW, prescribed).project(given)));
  }

  private FieldPanel panel(String title, Tensor flow) {
    double[] mean = flow.mean(2, 3).toDoubles();
    numbers.add("%s: (%.3f, %.3f)".formatted(title, mean[0], mean[1]));
    // A periodic stream function carries no mean, but U y - V x does.
    double[] plane = new double[N * N];
    for (int i = 0; i < plane.length; i++) {
      plane[i] = mean[0] * (i % N) / N - mean[1] * (i / N) / N;
    }
    Tensor waves = StreamFunction.of(LAW).potential(flow).reshape(N, N);
    Tensor psi = waves.add(Tensor.of(plane, N, N));
    return Planes.map(title, Planes.streamlines(psi, 0.2)).range(-1.2, 1.2);
  }

  @Override
  public String numbers() {
    return String.join("; ", numbers);
  }
}
