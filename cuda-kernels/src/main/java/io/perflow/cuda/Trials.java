package io.perflow.cuda;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.AdamSpec;
import io.perflow.tensor.backend.SgdSpec;
import io.perflow.tensor.op.AdvanceTransverse;
import io.perflow.tensor.op.BinaryKind;
import io.perflow.tensor.op.ReduceKind;
import io.perflow.tensor.op.TrigKind;
import io.perflow.tensor.op.UnaryKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The computations that together launch every kernel, as a test checks. Shapes are the smallest
 * that reach a kernel: ragged edges, several blocks, sums in several parts.
 */
final class Trials {
  private Trials() {}

  /** Returns all of them, always in this order. */
  static List<Trial> all() {
    List<Trial> trials = new ArrayList<>();
    for (DataType type : DataType.values()) {
      elementwise(trials, type);
      moves(trials, type);
      reductions(trials, type);
      rows(trials, type);
      transforms(trials, type);
      updates(trials, type);
      ImageTrials.add(trials, type);
    }
    products(trials);
    attention(trials);
    ImageTrials.addMethods(trials);
    return trials;
  }

  private static String lower(Enum<?> kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  private static boolean needsPositive(UnaryKind kind) {
    return switch (kind) {
      case SQRT, RSQRT, RECIPROCAL, LOG -> true;
      default -> false;
    };
  }

  private static void elementwise(List<Trial> trials, DataType type) {
    for (UnaryKind kind : UnaryKind.values()) {
      trials.add(
          Trial.one(
              lower(kind),
              type,
              in -> {
                boolean positive = needsPositive(kind);
                Tensor x = positive ? in.positive("x", 7, 45) : in.normal("x", 7, 45);
                return in.backend().elementwise().unary(kind, x);
              }));
    }
    for (BinaryKind kind : BinaryKind.values()) {
      trials.add(
          Trial.one(
              lower(kind),
              type,
              in -> {
                boolean power = kind == BinaryKind.POW;
                Tensor a = power ? in.positive("a", 4, 5, 9) : in.normal("a", 4, 5, 9);
                return in.backend().elementwise().binary(kind, a, in.normal("b", 5, 1));
              }));
    }
    trials.add(
        Trial.one(
            "where",
            type,
            in -> {
              Tensor x = in.normal("x", 6, 11);
              Tensor positive = in.backend().elementwise().unary(UnaryKind.RELU, x);
              return in.backend().elementwise().where(positive, x, in.normal("y", 6, 11));
            }));
    trials.add(
        Trial.one(
            "add_scaled",
            type,
            in ->
                in.backend()
                    .elementwise()
                    .addScaled(in.normal("a", 301), in.normal("b", 301), 0.37)));
    trials.add(
        Trial.one("advance", type, in -> advance(in, in.normal("share", 1), new int[0], 3, 4, 7)));
    trials.add(
        Trial.one(
            "advance of rows",
            type,
            in -> advance(in, in.normal("s", 45), new int[] {2}, 3, 4, 45)));
    trials.add(
        Trial.one(
            "complex_mul",
            type,
            in ->
                in.backend()
                    .elementwise()
                    .complexMul(in.normal("a", 3, 17, 2), in.normal("b", 17, 2), true)));
  }

  private static Tensor advance(Inputs in, Tensor share, int[] axes, int... shape) {
    Tensor free = in.backend().elementwise().unary(UnaryKind.RELU, in.normal("free", shape));
    Tensor from = in.normal("from", shape[0], 1, 1);
    return in.backend()
        .step()
        .advance(in.normal("x", shape), in.normal("to", shape), from, free, share, axes, 0.3);
  }

  private static void moves(List<Trial> trials, DataType type) {
    // To single precision and back: all numbers fit, so nothing is lost on the way.
    trials.add(
        Trial.one(
                "cast",
                type,
                in -> {
                  Tensor x = in.normal("x", 5, 19);
                  boolean single = in.tried() == DataType.F32;
                  Tensor wide =
                      in.backend().elementwise().cast(x, single ? DataType.F64 : DataType.F32);
                  return in.backend().elementwise().cast(wide, in.computed());
                })
            .rounding(1e-7));
    trials.add(
        Trial.one(
            "copy",
            type,
            in -> {
              Tensor x = in.normal("x", 21, 34).transpose();
              return in.backend().memory().copy(x, Layout.contiguous(x.shape()));
            }));
    trials.add(
        Trial.one(
            "scatter",
            type,
            in ->
                in.backend()
                    .movement()
                    .scatter(
                        in.normal("x", 4, 6), Shape.of(9, 8), new int[] {1, 2}, new int[] {2, 1})));
    int[] index = {4, 0, 4, 2, 1};
    trials.add(
        Trial.one(
            "gather", type, in -> in.backend().movement().gather(in.normal("x", 5, 7), 0, index)));
    trials.add(
        Trial.one(
            "scatter_add",
            type,
            in -> in.backend().movement().scatterAdd(in.normal("x", 3, 5), 1, index, 6)));
  }

  private static void reductions(List<Trial> trials, DataType type) {
    for (ReduceKind kind : ReduceKind.values()) {
      trials.add(
          Trial.one(
              lower(kind) + " of rows",
              type,
              in ->
                  in.backend()
                      .reduce()
                      .reduce(kind, in.normal("x", 3, 4099), new int[] {1}, false)));
      trials.add(
          Trial.one(
              lower(kind) + " of columns",
              type,
              in ->
                  in.backend()
                      .reduce()
                      .reduce(kind, in.normal("x", 261, 37), new int[] {0}, true)));
    }
    trials.add(
        Trial.one(
            "argmax of rows",
            type,
            in -> in.backend().reduce().argmax(in.normal("x", 3, 4099), 1, false)));
    trials.add(
        Trial.one(
            "argmax of columns",
            type,
            in -> in.backend().reduce().argmax(in.normal("x", 261, 37), 0, false)));
    trials.add(
        Trial.one(
            "cumsum of rows",
            type,
            in -> in.backend().reduce().cumulativeSum(in.normal("x", 5, 77), 1)));
    trials.add(
        Trial.one(
            "cumsum of columns",
            type,
            in -> in.backend().reduce().cumulativeSum(in.normal("x", 77, 35), 0)));
  }

  private static void rows(List<Trial> trials, DataType type) {
    trials.add(
        Trial.one("softmax", type, in -> in.backend().attention().softmax(in.normal("x", 9, 77))));
    trials.add(
        Trial.one(
            "softmax gradient",
            type,
            in ->
                in.backend()
                    .attention()
                    .softmaxBackward(
                        in.backend().attention().softmax(in.normal("x", 9, 77)),
                        in.normal("dy", 9, 77))));
    trials.add(
        Trial.one(
            "product of no alignment",
            type,
            in -> in.backend().gemm().matmul(in.normal("a", 2, 37, 21), in.normal("b", 21, 43))));
    // The kernels that store their scores.
    trials.add(attention("wide attention", type, 70));
  }

  private static void transforms(List<Trial> trials, DataType type) {
    trials.add(
        Trial.one(
            "fft", type, in -> in.backend().fft().fft(in.normal("x", 3, 8, 64, 2), 2, false, 1)));
    trials.add(
        Trial.one(
            "fft of 60",
            type,
            in -> in.backend().fft().fft(in.normal("x", 5, 60, 2), 1, true, 0.1)));
    for (int length : new int[] {8192, 1500}) { // beyond shared memory; 1500 by Bluestein
      trials.add(
          Trial.one(
              "fft of " + length,
              type,
              in -> in.backend().fft().fft(in.normal("x", length, 2), 1, false, 1)));
    }
    trials.add(
        Trial.one("rfft", type, in -> in.backend().fft().rfft(in.normal("x", 2, 16, 32), 2, 1)));
    int[] sizes = {16, 32};
    trials.add(
        Trial.one(
            "irfft",
            type,
            in -> in.backend().fft().irfft(in.normal("x", 2, 16, 17, 2), sizes, 1.0 / 512)));
    trials.add(
        Trial.one(
            "rfft adjoint",
            type,
            in -> in.backend().fft().rfftAdjoint(in.normal("x", 2, 16, 17, 2), sizes, 1)));
    trials.add(
        Trial.one(
            "irfft adjoint",
            type,
            in -> in.backend().fft().irfftAdjoint(in.normal("x", 2, 16, 32), 2, 1)));
    trials.add(
        Trial.one(
            "advance_transverse",
            type,
            in -> {
              Tensor x = in.normal("x", 2, 4, 16, 12);
              Tensor n = in.normal("n", 2, 1, 16, 7, 2);
              Tensor v = in.normal("v", 2, 4, 16, 12);
              return new AdvanceTransverse(0.3).apply(x, v, n);
            }));
    for (TrigKind kind : TrigKind.values()) {
      trials.add(
          Trial.one(
              lower(kind), type, in -> in.backend().fft().trig(kind, in.normal("x", 5, 31), 1, 1)));
    }
  }

  // Random numbers are those of the type tried, on both sides.
  private static void updates(List<Trial> trials, DataType type) {
    Shape shape = Shape.of(333);
    trials.add(
        Trial.one("uniform", type, in -> in.backend().random().uniform(11, 5, shape, in.tried())));
    trials.add(
        Trial.one("normal", type, in -> in.backend().random().normal(11, 5, shape, in.tried())));
    trials.add(
        Trial.of(
            "adam",
            type,
            in -> {
              Tensor[] t = {
                in.normal("p", 333), in.normal("g", 333), in.normal("m", 333), in.positive("v", 333)
              };
              AdamSpec spec = new AdamSpec(0.01, 0.9, 0.999, 1e-8, 0.1, true, 3, 0.5);
              in.backend().optimizer().adam(t[0], t[1], t[2], t[3], spec);
              return t;
            }));
    trials.add(
        Trial.of(
            "sgd",
            type,
            in -> {
              Tensor[] t = {in.normal("p", 333), in.normal("g", 333), in.normal("u", 333)};
              SgdSpec spec = new SgdSpec(0.1, 0.9, 0.01, true, false, 1);
              in.backend().optimizer().sgd(t[0], t[1], t[2], spec);
              return t;
            }));
    trials.add(
        Trial.one(
            "ema",
            type,
            in -> {
              Tensor average = in.normal("a", 333);
              in.backend().optimizer().ema(average, in.normal("p", 333), 0.99);
              return average;
            }));
  }

  // Matrices whose memory runs along the sum or across it, in small tiles and in large ones.
  private static void products(List<Trial> trials) {
    for (boolean large : new boolean[] {false, true}) {
      int batch = large ? 128 : 2;
      for (boolean left : new boolean[] {false, true}) {
        for (boolean right : new boolean[] {false, true}) {
          String name =
              "product%s%s%s"
                  .formatted(
                      large ? " of many" : "",
                      left ? ", left transposed" : "",
                      right ? ", right transposed" : "");
          trials.add(
              Trial.one(
                  name,
                  DataType.F32,
                  in -> {
                    Tensor a = left ? turned(in, "a", batch, 8, 12) : in.normal("a", batch, 12, 8);
                    Tensor b = right ? turned(in, "b", batch, 20, 8) : in.normal("b", batch, 8, 20);
                    return in.backend().gemm().matmul(a, b);
                  }));
        }
      }
    }
  }

  private static Tensor turned(Inputs in, String name, int... shape) {
    return in.normal(name, shape).permute(0, 2, 1);
  }

  private static void attention(List<Trial> trials) {
    trials.add(attention("attention of 20", DataType.F32, 20));
    trials.add(attention("attention of 50", DataType.F32, 50));
  }

  private static Trial attention(String name, DataType type, int width) {
    return Trial.of(
        name,
        type,
        in -> {
          Tensor q = in.normal("q", 1, 2, 40, width);
          Tensor k = in.normal("k", 1, 2, 45, width);
          Tensor v = in.normal("v", 1, 2, 45, width);
          Tensor dy = in.normal("dy", 1, 2, 40, width);
          Tensor[] y = in.backend().attention().attention(q, k, v, 0.2);
          Tensor[] d = in.backend().attention().attentionBackward(q, k, v, y[0], y[1], dy, 0.2);
          return new Tensor[] {y[0], y[1], d[0], d[1], d[2]};
        });
  }
}
