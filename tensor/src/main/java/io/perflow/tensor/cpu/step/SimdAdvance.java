package io.perflow.tensor.cpu.step;

import static io.perflow.tensor.cpu.vector.Simd.F;
import static io.perflow.tensor.cpu.vector.Simd.W;
import static jdk.incubator.vector.VectorOperators.EQ;

import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.cpu.loop.Ranges;
import io.perflow.tensor.cpu.loop.Walk;
import io.perflow.tensor.cpu.memory.FloatStorage;
import io.perflow.tensor.cpu.memory.Fresh;
import io.perflow.tensor.cpu.memory.StridedCopy;
import io.perflow.tensor.cpu.reduce.Reduce;
import io.perflow.tensor.cpu.reduce.ScalarReductions;
import jdk.incubator.vector.FloatVector;

/**
 * The F32 twin of {@link ScalarAdvance} on vectors: steps that keep values or means. A line holds
 * all values of one mean, or any stretch when there is none; its directions are written to where
 * the result goes, summed while they are in the cache, and replaced by the result.
 */
public final class SimdAdvance extends ScalarAdvance {
  @Override
  public Tensor advance(
      Tensor x, Tensor to, Tensor from, Tensor free, Tensor share, int[] axes, double weight) {
    if (!FloatStorage.holds(to) || to.size() == 0) {
      return super.advance(x, to, from, free, share, axes, weight);
    }
    Shape shape = to.shape();
    // Row-major, except that the values of a mean lie side by side.
    int[] order = ScalarReductions.reducedLast(shape.rank(), axes);
    Tensor y = Fresh.like(to, Layout.ordered(shape, order));
    int line = 1; // the count of values in one mean
    for (int axis : axes) {
      line *= shape.dim(axis);
    }
    int mean = line;
    int length = axes.length == 0 ? Math.min(y.size(), Walk.TASK) : line;
    float[] out = FloatStorage.data(y);
    Run[] in = {Run.of(x, y), Run.of(to, y), Run.of(from, y), Run.of(free, y), Run.of(share, y)};
    int size = y.size();
    int lines = (size + length - 1) / length;
    Ranges.run(
        lines,
        length,
        (first, end) -> {
          for (int i = first; i < end; i++) {
            int at = i * length;
            int n = Math.min(length, size - at);
            directions(in[1], in[2], in[3], out, at, n);
            float shift = 0;
            if (axes.length > 0) {
              shift = (float) Reduce.sum(out, at, n) * (float) (1.0 / mean);
            }
            step(in[0], in[4], shift, (float) weight, out, at, n);
          }
        });
    return y;
  }

  /** An operand in the memory order of the result, or one number. */
  private record Run(float[] data, int offset, int step) {
    static Run of(Tensor x, Tensor y) {
      if (x.size() == 1) {
        return new Run(FloatStorage.data(x), x.layout().offset(), 0);
      }
      Tensor whole = x.view(x.layout().expand(y.shape()));
      Tensor dense = whole.layout().equals(y.layout()) ? whole : StridedCopy.of(whole, y.layout());
      return new Run(FloatStorage.data(dense), dense.layout().offset(), 1);
    }

    FloatVector vector(int i) {
      return step == 0
          ? FloatVector.broadcast(F, data[offset])
          : FloatVector.fromArray(F, data, offset + i);
    }

    float at(int i) {
      return data[offset + i * step];
    }
  }

  // out = free ? to - from : 0
  private static void directions(Run to, Run from, Run free, float[] out, int at, int n) {
    int bound = at + F.loopBound(n);
    for (int i = at; i < bound; i += W) { // body
      FloatVector d = to.vector(i).sub(from.vector(i));
      d.blend(0f, free.vector(i).compare(EQ, 0f)).intoArray(out, i);
    }
    for (int i = bound; i < at + n; i++) { // tail
      out[i] = free.at(i) != 0 ? to.at(i) - from.at(i) : 0;
    }
  }

  // out = x + weight (out - share shift). Products and sums are not fused, so that the bits are
  // those of the separate operations.
  private static void step(
      Run x, Run share, float shift, float weight, float[] out, int at, int n) {
    int bound = at + F.loopBound(n);
    for (int i = at; i < bound; i += W) { // body
      FloatVector d = FloatVector.fromArray(F, out, i).sub(share.vector(i).mul(shift));
      x.vector(i).add(d.mul(weight)).intoArray(out, i);
    }
    for (int i = bound; i < at + n; i++) { // tail
      out[i] = x.at(i) + weight * (out[i] - share.at(i) * shift);
    }
  }
}
