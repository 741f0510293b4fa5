package io.perflow.cli;

import io.perflow.cli.figure.ReconstructionFigure;
import io.perflow.physics.Benchmark;
import io.perflow.tensor.Tensor;

/** Which maps of a benchmark's fields are worth a figure, and what their axes are. */
public final class FieldFigures {
  private FieldFigures() {}

  /** A figure with the axes of a benchmark. */
  public static ReconstructionFigure of(Benchmark benchmark) {
    ReconstructionFigure figure = ReconstructionFigure.create();
    return benchmark == Benchmark.BURGERS
        ? figure.axes("t", "x").firstAxisAcross()
        : figure.axes("x", "y").firstAxisAcross();
  }

  /**
   * Adds a row per channel, of ten frames only first and last; tensors are [1, channels, height,
   * width], {@code truth} null when it is not known.
   */
  public static void add(
      ReconstructionFigure figure,
      Benchmark benchmark,
      Tensor readings,
      Tensor mask,
      Tensor truth,
      Tensor mean,
      Tensor deviation) {
    int[] shown =
        benchmark == Benchmark.NS
            ? new int[] {0, Benchmark.FRAMES - 1}
            : java.util.stream.IntStream.range(0, benchmark.channels().size()).toArray();
    for (int c : shown) {
      String name = benchmark.channels().get(c);
      if (truth == null) {
        figure.field(name, plane(readings, c), plane(mask, c), plane(mean, c), plane(deviation, c));
      } else {
        figure.field(
            name,
            plane(readings, c),
            plane(mask, c),
            plane(truth, c),
            plane(mean, c),
            plane(deviation, c));
      }
    }
  }

  private static Tensor plane(Tensor fields, int channel) {
    return fields.select(0, 0).select(0, channel).contiguous();
  }
}
