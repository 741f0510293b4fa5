package io.perflow.autograd;

import static io.perflow.autograd.OpCase.linear;
import static io.perflow.autograd.OpCase.of;
import static io.perflow.autograd.Samples.between;
import static io.perflow.autograd.Samples.distinct;

import io.perflow.tensor.Device;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.BinaryKind;
import io.perflow.tensor.backend.Conv2dSpec;
import io.perflow.tensor.backend.GroupNormSpec;
import io.perflow.tensor.backend.Padding;
import io.perflow.tensor.backend.Pool2dSpec;
import io.perflow.tensor.backend.ReduceKind;
import io.perflow.tensor.backend.TrigKind;
import io.perflow.tensor.backend.UnaryKind;
import io.perflow.tensor.op.AddScaled;
import io.perflow.tensor.op.Argmax;
import io.perflow.tensor.op.Attention;
import io.perflow.tensor.op.AvgPool2d;
import io.perflow.tensor.op.AvgPool2dBackward;
import io.perflow.tensor.op.Binary;
import io.perflow.tensor.op.ComplexMul;
import io.perflow.tensor.op.Concat;
import io.perflow.tensor.op.Contiguous;
import io.perflow.tensor.op.Conv2d;
import io.perflow.tensor.op.Conv2dBackwardInput;
import io.perflow.tensor.op.Conv2dBackwardWeight;
import io.perflow.tensor.op.CumulativeSum;
import io.perflow.tensor.op.Embed;
import io.perflow.tensor.op.Expand;
import io.perflow.tensor.op.Extremum;
import io.perflow.tensor.op.Fft;
import io.perflow.tensor.op.Gather;
import io.perflow.tensor.op.GroupNorm;
import io.perflow.tensor.op.Irfft;
import io.perflow.tensor.op.MatMul;
import io.perflow.tensor.op.MaxPool2d;
import io.perflow.tensor.op.MaxPool2dBackward;
import io.perflow.tensor.op.Move;
import io.perflow.tensor.op.Permute;
import io.perflow.tensor.op.Reshape;
import io.perflow.tensor.op.Rfft;
import io.perflow.tensor.op.ScatterAdd;
import io.perflow.tensor.op.Slice;
import io.perflow.tensor.op.Softmax;
import io.perflow.tensor.op.SoftmaxBackward;
import io.perflow.tensor.op.Sum;
import io.perflow.tensor.op.Trig;
import io.perflow.tensor.op.Unary;
import io.perflow.tensor.op.UpsampleNearest;
import io.perflow.tensor.op.UpsampleNearestBackward;
import io.perflow.tensor.op.Where;
import java.util.ArrayList;
import java.util.List;

/** Gradient-check cases for every operation; the coverage test fails when one has none. */
final class OpCases {
  private OpCases() {}

  static List<OpCase> all() {
    List<OpCase> cases = new ArrayList<>();
    unary(cases);
    binary(cases);
    reductions(cases);
    linearAlgebra(cases);
    views(cases);
    indexing(cases);
    convolutions(cases);
    pooling(cases);
    norms(cases);
    fourier(cases);
    return cases;
  }

  private static Tensor x(int... shape) {
    return Samples.of(shape.length + 7L * Shape.of(shape).size(), shape);
  }

  private static Tensor y(int... shape) {
    return Samples.of(1000 + 3L * Shape.of(shape).size(), shape);
  }

  private static void unary(List<OpCase> cases) {
    for (UnaryKind kind : UnaryKind.values()) {
      Tensor at =
          switch (kind) {
            case SQRT, RSQRT, LOG -> between(1, 0.3, 3, 2, 3);
            default -> distinct(2, 2, 3);
          };
      cases.add(kind == UnaryKind.NEG ? linear(Unary.of(kind), at) : of(Unary.of(kind), at));
      cases.add(of(Unary.of(kind), kind == UnaryKind.NEG ? at : at.reshape(6)));
    }
  }

  private static void binary(List<OpCase> cases) {
    for (BinaryKind kind : BinaryKind.values()) {
      Tensor a = kind == BinaryKind.POW ? between(3, 0.4, 2, 2, 3) : distinct(4, 2, 3);
      Tensor b = distinct(5, 2, 3).mul(1.7);
      boolean linear = kind == BinaryKind.ADD || kind == BinaryKind.SUB;
      cases.add(new OpCase(Binary.of(kind), linear, 0, a, b));
      // broadcasting on either side, new leading axes and extents of 1
      cases.add(new OpCase(Binary.of(kind), linear, 0, a, b.slice(0, 0, 1)));
      cases.add(new OpCase(Binary.of(kind), linear, 0, a.slice(1, 1, 2), b));
      cases.add(new OpCase(Binary.of(kind), linear, 0, a.slice(1, 1, 2), b.select(0, 1)));
      cases.add(new OpCase(Binary.of(kind), linear, 0, a, b.select(0, 1).select(0, 2)));
      cases.add(new OpCase(Binary.of(kind), linear, 0, a.select(0, 0).select(0, 1), b));
    }
    // a negative base has a gradient for a fixed exponent
    Tensor three = Tensor.of(new double[] {3});
    cases.add(of(Binary.of(BinaryKind.POW), distinct(6, 4), three).fixing(1));
    cases.add(linear(new AddScaled(-2.5), x(2, 3), y(2, 3)));
    // the condition comes first, where a fixed input cannot; its numbers are far from zero
    cases.add(of(new Where(), distinct(7, 2, 3), x(2, 3), y(2, 3)));
    cases.add(of(new Where(), distinct(8, 3), x(2, 1), y(1)));
  }

  private static void reductions(List<OpCase> cases) {
    for (boolean keep : new boolean[] {false, true}) {
      for (int[] axes : new int[][] {{0}, {1}, {2}, {0, 2}, {0, 1, 2}}) {
        cases.add(linear(new Sum(axes, keep), x(2, 3, 4)));
        cases.add(of(new Extremum(ReduceKind.MAX, axes, keep), distinct(9, 2, 3, 2)));
        cases.add(of(new Extremum(ReduceKind.MIN, axes, keep), distinct(9, 2, 3, 2)));
      }
      cases.add(of(new Argmax(1, keep), distinct(9, 2, 3, 2)));
    }
    cases.add(linear(new CumulativeSum(0), x(3, 4)));
    cases.add(linear(new CumulativeSum(1), x(3, 4)));
    cases.add(of(new Softmax(), x(2, 3, 5)));
    cases.add(of(new SoftmaxBackward(), x(2, 3, 5), y(2, 3, 5)));
  }

  private static void linearAlgebra(List<OpCase> cases) {
    cases.add(of(new MatMul(), x(3, 4), y(4, 2)));
    cases.add(of(new MatMul(), x(2, 3, 4), y(2, 4, 5)));
    cases.add(of(new MatMul(), x(2, 1, 3, 4), y(3, 4, 2)));
    cases.add(of(new MatMul(), x(3, 4), y(2, 4, 1)));
    cases.add(of(new Attention(0.7), x(2, 2, 3, 4), y(2, 2, 5, 4), x(2, 2, 5, 3)));
    cases.add(of(new Attention(0.5), x(1, 1, 9, 2), y(1, 1, 9, 2), x(1, 1, 9, 2).add(0.3)));
  }

  private static void views(List<OpCase> cases) {
    cases.add(linear(new Reshape(Shape.of(3, 4)), x(2, 6)));
    cases.add(linear(new Reshape(Shape.of(12)), x(2, 3, 2)));
    cases.add(linear(new Permute(2, 0, 1), x(2, 3, 4)));
    cases.add(linear(new Expand(Shape.of(2, 3, 4)), x(3, 1)));
    cases.add(linear(new Expand(Shape.of(2, 3)), x()));
    cases.add(linear(new Contiguous(), x(2, 3)));
    cases.add(linear(new Move(Device.cpu(), Device.reference()), x(2, 3)));
    cases.add(linear(slice(new int[] {0, 1}, new int[] {3, 2}, new int[] {1, 2}), x(3, 5)));
    cases.add(linear(slice(new int[] {2, 4}, new int[] {3, 2}, new int[] {-1, -3}), x(3, 5)));
    cases.add(linear(slice(new int[] {1, 0}, new int[] {1, 5}, new int[] {1, 1}), x(3, 5)));
    cases.add(linear(new Embed(Shape.of(5, 7), new int[] {1, 2}, new int[] {1, 2}), x(3, 3)));
    cases.add(linear(new Embed(Shape.of(5, 7), new int[] {4, 6}, new int[] {-2, -1}), x(2, 3)));
    cases.add(linear(new Concat(1), x(2, 3), y(2, 1), x(2, 2)));
    cases.add(linear(new Concat(0), x(2, 3), y(1, 3)));
  }

  private static Slice slice(int[] starts, int[] counts, int[] steps) {
    return new Slice(starts, counts, steps);
  }

  private static void indexing(List<OpCase> cases) {
    cases.add(linear(new Gather(1, 2, 0, 2, 2), x(3, 4)));
    cases.add(linear(new Gather(0, 1, 1, 0), x(3, 2, 2)));
    cases.add(linear(new ScatterAdd(1, 6, 2, 0, 2, 5), x(3, 4)));
    cases.add(linear(new ScatterAdd(0, 2, 1, 1, 0), x(3, 2, 2)));
  }

  private static final List<Conv2dSpec> CONVOLUTIONS =
      List.of(
          Conv2dSpec.of(1, 1),
          Conv2dSpec.of(2, 1),
          Conv2dSpec.of(1, 0),
          Conv2dSpec.of(1, 1).padding(Padding.CIRCULAR, Padding.CIRCULAR),
          Conv2dSpec.of(2, 1).padding(Padding.CIRCULAR, Padding.ZEROS),
          new Conv2dSpec(2, 1, 1, 2, Padding.ZEROS, Padding.CIRCULAR, 2),
          Conv2dSpec.of(1, 1).groups(4));

  private static void convolutions(List<OpCase> cases) {
    for (Conv2dSpec spec : CONVOLUTIONS) {
      Shape in = Shape.of(2, 4, 5, 6);
      Shape weight = Shape.of(4, 4 / spec.groups(), 3, 3);
      int[] out = {2, 4, spec.outH(5, 3), spec.outW(6, 3)};
      Tensor image = x(in.toArray());
      Tensor filter = y(weight.toArray());
      cases.add(of(new Conv2d(spec), image, filter, x(4)));
      cases.add(of(new Conv2d(spec), image, filter));
      cases.add(linear(new Conv2d(spec), image, filter).fixing(1));
      cases.add(of(new Conv2dBackwardInput(spec, in), x(out), filter, x(4)));
      cases.add(linear(new Conv2dBackwardInput(spec, in), x(out), filter).fixing(1));
      cases.add(of(new Conv2dBackwardWeight(spec, weight), image, y(out)));
      cases.add(linear(new Conv2dBackwardWeight(spec, weight), image, y(out)).fixing(1));
    }
    // a 1 x 1 and an even kernel
    cases.add(of(new Conv2d(Conv2dSpec.of(1, 0)), x(2, 3, 4, 4), y(2, 3, 1, 1), x(2)));
    cases.add(of(new Conv2d(Conv2dSpec.of(2, 0)), x(1, 2, 6, 6), y(3, 2, 2, 2), x(3)));
  }

  private static void pooling(List<OpCase> cases) {
    for (Pool2dSpec spec : List.of(Pool2dSpec.of(2), new Pool2dSpec(3, 2, 2, 1))) {
      Shape in = Shape.of(2, 2, 5, 4);
      int[] out = {2, 2, spec.outH(5), spec.outW(4)};
      Tensor image = distinct(10, in.toArray());
      cases.add(linear(new AvgPool2d(spec), image));
      cases.add(linear(new AvgPool2dBackward(spec, in), x(out)));
      cases.add(of(new MaxPool2d(spec), image));
      Tensor positions = new MaxPool2d(spec).forward(image.device().backend(), image)[1];
      cases.add(linear(new MaxPool2dBackward(in), x(out), positions).fixing(1));
    }
    cases.add(linear(new UpsampleNearest(2), x(2, 2, 3, 2)));
    cases.add(linear(new UpsampleNearest(3), x(1, 2, 1, 2)));
    cases.add(linear(new UpsampleNearestBackward(2), x(2, 2, 4, 6)));
  }

  private static void norms(List<OpCase> cases) {
    for (int flags = 0; flags < 8; flags++) {
      boolean affine = (flags & 1) != 0;
      boolean modulated = (flags & 2) != 0;
      GroupNormSpec spec = new GroupNormSpec(2, 1e-3, affine, modulated, (flags & 4) != 0);
      List<Tensor> rest = new ArrayList<>();
      if (affine) {
        rest.addAll(List.of(between(11, 0.5, 1.5, 4), x(4)));
      }
      if (modulated) {
        rest.addAll(List.of(x(2, 4), y(2, 4)));
      }
      for (Tensor image : List.of(x(2, 4, 3, 2), x(2, 4, 5), x(2, 4))) {
        List<Tensor> inputs = new ArrayList<>(List.of(image));
        inputs.addAll(rest);
        cases.add(of(new GroupNorm(spec), inputs.toArray(Tensor[]::new)));
      }
    }
  }

  private static void fourier(List<OpCase> cases) {
    for (boolean flag : new boolean[] {false, true}) {
      cases.add(linear(new Fft(1, flag, 0.5), x(2, 6, 2)));
      cases.add(linear(new Fft(1, flag, 1), x(7, 2)));
      cases.add(linear(new Fft(2, flag, 1), x(2, 3, 4, 2)));
      cases.add(linear(new Fft(3, flag, 1), x(2, 3, 5, 2)));
      cases.add(linear(new Rfft(1, 1, flag), x(2, 6)));
      cases.add(linear(new Rfft(1, 2, flag), x(2, 5)));
      cases.add(linear(new Rfft(2, 1, flag), x(4, 6)));
      cases.add(linear(new Rfft(3, 1, flag), x(2, 3, 4)));
      cases.add(linear(new Irfft(0.5, flag, 6), x(2, 4, 2)));
      cases.add(linear(new Irfft(1, flag, 5), x(2, 3, 2)));
      cases.add(linear(new Irfft(1, flag, 4, 6), x(4, 4, 2)));
      cases.add(linear(new Irfft(1, flag, 2, 3, 5), x(2, 3, 3, 2)));
      cases.add(of(new ComplexMul(flag), x(3, 4, 2), y(3, 4, 2)));
      cases.add(of(new ComplexMul(flag), x(3, 1, 2), y(4, 2)));
      cases.add(of(new ComplexMul(flag), x(4, 2), y(2, 3, 1, 2)));
    }
    for (TrigKind kind : TrigKind.values()) {
      cases.add(linear(new Trig(kind, 1, 0.5), x(2, 5)));
      cases.add(linear(new Trig(kind, 0, 1), x(4, 2)));
    }
  }
}
