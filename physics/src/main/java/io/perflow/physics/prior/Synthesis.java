package io.perflow.physics.prior;

import io.perflow.physics.Problem;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/**
 * A computation of the fields of modes, each of which is a few coefficients in a {@link
 * SpectralBasis}.
 *
 * @param factors the coefficients of all modes
 * @param rows the values of the functions along the rows' axis, for each quantity
 * @param columns the values along the columns' axis
 */
record Synthesis(SpectralBasis basis, float[] factors, double[][] rows, double[][] columns) {
  // A matrix product does this many more operations in a second than a loop over coefficients.
  private static final int PRODUCT_SPEED = 20;

  /**
   * One mode, given by consecutive coefficients.
   *
   * @param factor the place of its first coefficient among the factors
   * @param place the place of its first coefficient in the basis; the others follow
   * @param size the number of its coefficients; all others are zero
   */
  record Mode(int factor, int place, int size) {}

  static Synthesis of(SpectralBasis basis, float[] factors) {
    Tensor[] functions = basis.functions();
    return new Synthesis(basis, factors, planes(functions[0]), planes(functions[1]));
  }

  private static double[][] planes(Tensor functions) {
    double[][] planes = new double[functions.dim(0)][];
    for (int q = 0; q < planes.length; q++) {
      planes[q] = functions.select(0, q).toDoubles();
    }
    return planes;
  }

  /** Returns the fields of some modes, [modes, channels, height, width] in F32. */
  Tensor fields(List<Mode> modes) {
    Problem problem = basis.problem();
    int sides = problem.grid().height() + problem.grid().width();
    long products = (long) problem.channelCount() * sides; // for each point, by matrices
    if (modes.stream().anyMatch(mode -> PRODUCT_SPEED * (long) mode.size >= products)) {
      return byProducts(modes);
    }
    double[] field = new double[problem.batch(1).size()];
    float[] fields = new float[modes.size() * field.length];
    for (int m = 0; m < modes.size(); m++) {
      Arrays.fill(field, 0);
      add(modes.get(m), field);
      for (int i = 0; i < field.length; i++) {
        fields[m * field.length + i] = (float) field[i];
      }
    }
    return Tensor.of(fields, problem.batch(modes.size()).toArray());
  }

  // In F64, as conditioning is: if the first result needed the F32 kernels as well, it would wait
  // until both were compiled.
  private Tensor byProducts(List<Mode> modes) {
    double[] coefficients = new double[modes.size() * basis.size()];
    for (int m = 0; m < modes.size(); m++) {
      Mode mode = modes.get(m);
      for (int i = 0; i < mode.size; i++) {
        coefficients[m * basis.size() + mode.place + i] = factors[mode.factor + i];
      }
    }
    Tensor all = Tensor.of(coefficients, modes.size(), basis.size());
    return basis.synthesize(all).to(DataType.F32);
  }

  // One product of two functions after the other.
  private void add(Mode mode, double[] field) {
    Problem problem = basis.problem();
    int height = problem.grid().height();
    int width = problem.grid().width();
    for (int i = 0; i < mode.size; i++) {
      int number = basis.number(mode.place + i);
      int channel = basis.channel(number);
      double[] down = rows[channel / problem.frameCount()];
      double[] along = columns[channel / problem.frameCount()];
      int from = basis.column(number) * width;
      for (int y = 0; y < height; y++) {
        double weight = factors[mode.factor + i] * down[basis.row(number) * height + y];
        add(weight, along, from, field, (channel * height + y) * width, width);
      }
    }
  }

  // A separate method, which the compiler vectorizes.
  private static void add(double weight, double[] x, int from, double[] y, int to, int count) {
    for (int i = 0; i < count; i++) {
      y[to + i] += weight * x[from + i];
    }
  }
}
