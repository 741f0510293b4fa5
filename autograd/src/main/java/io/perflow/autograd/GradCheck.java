package io.perflow.autograd;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.Function;

/**
 * A check that compares the gradients of a tape with central differences.
 *
 * <pre>{@code
 * GradCheck.require(in -> in[0].matmul(in[1]).silu(), a, b); // throws when a gradient is wrong
 * }</pre>
 *
 * <p>The function may have several inputs and a result of any shape, which is projected on fixed
 * random numbers w: s = sum(w y). For each input of at most {@value #MOST_ENTRIES} elements every
 * entry is moved by eps = 1e-6 both ways and (s(x + eps) - s(x - eps)) / 2 eps compared with the
 * tape's; larger ones are moved along {@value #DIRECTIONS} random directions instead. Two numbers
 * agree when |analytic - numeric| is at most 1e-5 + 1e-3 |numeric|.
 *
 * <p>All numbers are F64: the differences lose half of the digits, and F32 has only seven. Inputs
 * must stay away from kinks such as relu's at 0. A gradient, taken by a tape inside the function,
 * can be checked like any function; that checks second derivatives.
 */
public final class GradCheck {
  private static final double EPS = 1e-6;
  private static final double ABSOLUTE = 1e-5;
  private static final double RELATIVE = 1e-3;
  private static final int MOST_ENTRIES = 500;
  private static final int DIRECTIONS = 8;
  private static final long SEED = 42;

  private final Function<Tensor[], Tensor> function;
  private final Tensor[] inputs;
  private final SplittableRandom random = new SplittableRandom(SEED);
  private final double[] weights;
  private final double[][] analytic;
  private Result worst = new Result("nothing to compare", 0, 0);

  private GradCheck(Function<Tensor[], Tensor> function, Tensor[] inputs) {
    this.function = function;
    // One handle for each place, so that a tensor given twice counts as two inputs.
    this.inputs = Arrays.stream(inputs).map(t -> t.view(t.layout())).toArray(Tensor[]::new);
    this.analytic = new double[inputs.length][];
    try (Scope _ = Scope.open();
        Tape tape = Tape.watching(this.inputs)) {
      Tensor y = function.apply(this.inputs.clone());
      requireDouble("the result", y);
      weights = random.doubles(y.size(), -1, 1).toArray();
      fill(tape, y);
    }
  }

  private void fill(Tape tape, Tensor y) {
    if (!tape.follows(y)) {
      Arrays.setAll(analytic, i -> new double[inputs[i].size()]);
      return;
    }
    Tensor seed = y.device().backend().memory().upload(weights, y.shape());
    Gradients gradients = tape.gradients(y, seed);
    Arrays.setAll(analytic, i -> gradients.of(inputs[i]).toDoubles());
  }

  /**
   * The comparison with the largest error.
   *
   * @param where which input and entry, or direction
   * @param analytic the tape's number
   * @param numeric the difference quotient
   */
  public record Result(String where, double analytic, double numeric) {
    /** Returns whether all comparisons agree, even this worst one. */
    public boolean passed() {
      return excess() <= 1;
    }

    // The distance in units of the tolerance; a NaN counts as the worst possible.
    private double excess() {
      double excess = Math.abs(analytic - numeric) / (ABSOLUTE + RELATIVE * Math.abs(numeric));
      return Double.isNaN(excess) ? Double.POSITIVE_INFINITY : excess;
    }

    @Override
    public String toString() {
      return "%s: analytic %.9g, numeric %.9g".formatted(where, analytic, numeric);
    }
  }

  /**
   * Compares all gradients of a function at these inputs and returns the worst comparison.
   *
   * @throws IllegalArgumentException when an input or the result is not F64
   */
  public static Result run(Function<Tensor[], Tensor> function, Tensor... inputs) {
    for (int i = 0; i < inputs.length; i++) {
      requireDouble("input " + i, inputs[i]);
    }
    GradCheck check = new GradCheck(function, inputs);
    for (int i = 0; i < inputs.length; i++) {
      if (inputs[i].size() <= MOST_ENTRIES) {
        check.compareEntries(i);
      } else {
        check.compareDirections(i);
      }
    }
    return check.worst;
  }

  /**
   * Compares like {@link #run} and throws when gradients disagree, for tests.
   *
   * @throws AssertionError naming the worst entry and both its values when they disagree
   * @throws IllegalArgumentException when an input or the result is not F64
   */
  public static void require(Function<Tensor[], Tensor> function, Tensor... inputs) {
    Result worst = run(function, inputs);
    if (!worst.passed()) {
      throw new AssertionError("[grad_check] gradients differ, worst at " + worst);
    }
  }

  private static void requireDouble(String what, Tensor tensor) {
    if (tensor.type() != DataType.F64) {
      throw new IllegalArgumentException(
          "[grad_check] %s of shape %s is %s, too coarse for differences; use to(F64)"
              .formatted(what, tensor.shape(), tensor.type()));
    }
  }

  private void compareEntries(int input) {
    double[] at = inputs[input].toDoubles();
    for (int j = 0; j < at.length; j++) {
      double[] direction = new double[at.length];
      direction[j] = 1;
      compare(input, entry(input, j), at, direction);
    }
  }

  private void compareDirections(int input) {
    double[] at = inputs[input].toDoubles();
    for (int k = 0; k < DIRECTIONS; k++) {
      double[] direction = random.doubles(at.length, -1, 1).toArray();
      compare(input, "random direction " + k, at, direction);
    }
  }

  private void compare(int input, String where, double[] at, double[] direction) {
    double slope = 0;
    for (int j = 0; j < at.length; j++) {
      slope += analytic[input][j] * direction[j];
    }
    double[] right = moved(input, at, direction, EPS);
    double[] left = moved(input, at, direction, -EPS);
    double difference = 0;
    for (int i = 0; i < weights.length; i++) {
      difference += weights[i] * (right[i] - left[i]);
    }
    Result result =
        new Result(
            "input %d of shape %s, %s".formatted(input, inputs[input].shape(), where),
            slope,
            difference / (2 * EPS));
    if (result.excess() > worst.excess()) {
      worst = result;
    }
  }

  // Returns the function's value with one input moved.
  private double[] moved(int input, double[] at, double[] direction, double eps) {
    double[] data = new double[at.length];
    for (int j = 0; j < data.length; j++) {
      data[j] = at[j] + eps * direction[j];
    }
    try (Scope _ = Scope.open()) {
      Tensor[] other = inputs.clone();
      other[input] = inputs[input].device().backend().memory().upload(data, inputs[input].shape());
      return function.apply(other).toDoubles();
    }
  }

  private String entry(int input, int flat) {
    Shape shape = inputs[input].shape();
    int[] index = new int[shape.rank()];
    int rest = flat;
    for (int a = index.length - 1; a >= 0; a--) {
      index[a] = rest % shape.dim(a);
      rest /= shape.dim(a);
    }
    return "entry " + Arrays.toString(index);
  }
}
