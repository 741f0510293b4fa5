package gallery;

import io.perflow.cli.figure.FieldPanel;
import io.perflow.cli.figure.Figure;
import io.perflow.cli.figure.LineChart;
import io.perflow.flow.PriorModel;
import io.perflow.flow.Reconstruction;
import io.perflow.physics.Axis;
import io.perflow.physics.Dataset;
import io.perflow.physics.Problem;
import io.perflow.physics.Readings;
import io.perflow.physics.Scaling;
import io.perflow.physics.equation.Equation;
import io.perflow.physics.field.PeriodicLine;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * What inflow makes a wanted concentration downstream? A dissolved substance enters a river, drifts
 * and spreads. The wish is stated as a reading of a mean that nobody has measured yet, and the
 * answer is samples of the inflow, each of which fulfils it.
 */
final class Control implements Picture {
  private static final int TIMES = 64;
  private static final int POINTS = 40;
  private static final int SAMPLES = 6;
  private static final double WANTED = 0.8; // g/l
  private static final double[] FROM = {0.7, 0.7}; // the region of the wish: t, x
  private static final double[] TO = {0.95, 0.95};

  private final List<String> numbers = new ArrayList<>();
  private final PriorModel model = model();

  @Override
  public String name() {
    return "control.png";
  }

  /**
   * Returns the concentrations (batch, 1, times, points) from the history of the inflow (batch,
   * times).
   */
  private static Tensor river(Tensor inflow) {
    int batch = inflow.dim(0);
    Tensor[] rows = new Tensor[TIMES];
    Tensor c =
        inflow.slice(1, 0, 1).expand(Shape.of(batch, POINTS)).contiguous(); // steady before t = 0
    for (int t = 0; t < TIMES; t++) {
      Tensor west = Tensor.concat(1, inflow.slice(1, t, t + 1), c.slice(1, 0, POINTS - 1));
      Tensor east = Tensor.concat(1, c.slice(1, 1, POINTS), c.slice(1, POINTS - 1, POINTS));
      Tensor spread = east.add(west).sub(c.mul(2)).mul(0.1);
      c = c.sub(c.sub(west).mul(0.8)).add(spread);
      c = Tensor.concat(1, inflow.slice(1, t, t + 1), c.slice(1, 1, POINTS));
      rows[t] = c.reshape(batch, 1, 1, POINTS);
    }
    return Tensor.concat(2, rows);
  }

  private static PriorModel model() {
    Problem river =
        Problem.named("river")
            .axis(Axis.time("t", 0, 1, TIMES))
            .axis(Axis.of("x", 0, 1, POINTS))
            .channel("c", "g/l")
            .build();
    Equation equation =
        Equation.of(river, TIMES, x -> x.slice(3, 0, 1).reshape(x.dim(0), TIMES), Control::river);
    // Inflows of the past, about half a gram per litre.
    PeriodicLine law = new PeriodicLine(2 * TIMES, 2, 5, 25);
    double scale = 0.2 / law.std();
    Tensor[] inflows = new Tensor[200];
    Arrays.setAll(inflows, i -> Tensor.of(Arrays.copyOf(law.sample(Rng.of(i)), TIMES), 1, TIMES));
    Tensor fields = river(Tensor.concat(0, inflows).mul(scale).add(0.5)).to(DataType.F32);
    return PriorModel.learn(Dataset.of(river.with(equation), fields, Scaling.UNIT, Map.of()));
  }

  @Override
  public Figure figure() {
    Readings.Builder wish = Readings.of(model.problem()).box("c", WANTED, FROM, TO);
    Readings asked = wish.build();
    for (int t = TIMES / 2; t < TIMES; t += 4) {
      wish.at("c", 0.2, t / (TIMES - 1.0), 0);
    }
    Reconstruction free = answer(Readings.of(model.problem()).build());
    Reconstruction wanted = answer(asked);
    Reconstruction late = answer(wish.build());
    return Figure.of(
            chart("as in the past", free),
            chart("0.8 g/l downstream", wanted),
            chart("and 0.2 g/l from t = 0.5", late))
        .row("", map(free), map(wanted), map(late));
  }

  private Reconstruction answer(Readings readings) {
    return Reconstruction.of(model.assimilation(), readings, SAMPLES, Rng.of(7));
  }

  private LineChart chart(String title, Reconstruction found) {
    double[] times = new double[TIMES];
    Arrays.setAll(times, t -> t / (TIMES - 1.0));
    LineChart chart = LineChart.of(title).axes("t", "inflow, g/l").size(190, 130);
    Tensor samples = found.fields().samples();
    double lowest = Double.POSITIVE_INFINITY;
    double highest = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < SAMPLES; i++) {
      Tensor own = samples.slice(0, i, i + 1);
      chart.line("", times, own.slice(3, 0, 1).toDoubles());
      double mean = mean(own);
      lowest = Math.min(lowest, mean);
      highest = Math.max(highest, mean);
    }
    numbers.add("%s: mean downstream %.4f to %.4f".formatted(title, lowest, highest));
    return chart;
  }

  private double mean(Tensor field) {
    return Readings.of(model.problem())
        .box("c", 0, FROM, TO)
        .build()
        .misfit(field)
        .getFirst()
        .rms();
  }

  private static FieldPanel map(Reconstruction found) {
    return FieldPanel.of("mean of the samples", found.fields().mean().reshape(TIMES, POINTS))
        .firstAxisAcross()
        .range(0, 1.2)
        .xAxis("t")
        .yAxis("x")
        .colorBar("g/l");
  }

  @Override
  public String numbers() {
    return String.join("; ", numbers);
  }
}
