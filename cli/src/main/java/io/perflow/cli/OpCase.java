package io.perflow.cli;

import io.perflow.autograd.Tape;
import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.Fourier;
import io.perflow.tensor.Images;
import io.perflow.tensor.Norms;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.AdamSpec;
import io.perflow.tensor.op.Attention;
import io.perflow.tensor.op.Conv2dBackwardInput;
import io.perflow.tensor.op.Conv2dBackwardWeight;
import io.perflow.tensor.op.Linear;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * An operation of a timing list with its input. Images lie channels last, as the CPU backend keeps
 * them inside a network; memory comes from a scope, as in a sampler or a trainer.
 */
record OpCase(String name, Runnable task) {
  static OpCase of(Object entry) {
    OpSpec spec = OpSpec.of(entry);
    Runnable body = body(spec);
    Runnable scoped =
        () -> {
          try (Scope _ = Scope.open()) {
            body.run();
          }
        };
    return new OpCase(spec.text("name"), scoped);
  }

  private static Runnable body(OpSpec spec) {
    return switch (spec.text("op")) {
      case "conv2d" -> conv(spec);
      case "conv2d_backward" -> convBackward(spec);
      case "matmul" -> pair(spec, Tensor::matmul);
      case "linear" -> linear(spec);
      case "attention" -> attention(spec);
      case "attention_backward" -> attentionBackward(spec);
      case "groupnorm_silu" -> groupNorm(spec);
      case "rfft2_roundtrip" -> roundTrip(spec);
      case "add" -> pair(spec, Tensor::add);
      case "mul" -> pair(spec, Tensor::mul);
      case "sum" -> single(spec, Tensor::sum);
      case "sum_axis" -> sumAxis(spec);
      case "softmax" -> single(spec, x -> x.softmax());
      case "silu" -> single(spec, Tensor::silu);
      case "gelu" -> single(spec, Tensor::gelu);
      case "exp" -> single(spec, Tensor::exp);
      case "tanh" -> single(spec, Tensor::tanh);
      case "concat" -> pair(spec, (a, b) -> Tensor.concat(1, a, b));
      case "permute" -> permute(spec);
      case "slice" -> slice(spec);
      case "gather" -> gather(spec);
      case "upsample" -> single(spec, x -> Images.upsampleNearest(x, 2));
      case "adamw" -> adamW(spec);
      case String other -> throw new IllegalArgumentException("unknown operation " + other);
    };
  }

  private static Runnable conv(OpSpec spec) {
    Tensor x = spec.random("x");
    Tensor w = spec.contiguous("w");
    Conv2dSpec window = window(spec);
    return () -> Images.conv2d(x, w, null, window);
  }

  private static Runnable convBackward(OpSpec spec) {
    Tensor x = spec.random("x");
    Tensor w = spec.contiguous("w");
    Conv2dSpec window = window(spec);
    Tensor g = spec.like(Images.conv2d(x, w, null, window));
    return () -> {
      // A fresh copy, because in training the weights are new at every step and are packed again.
      Tensor fresh = w.device().backend().memory().copy(w, w.layout());
      new Conv2dBackwardInput(window, x.shape()).apply(g, fresh);
      new Conv2dBackwardWeight(window, w.shape()).apply(x, g);
    };
  }

  private static Conv2dSpec window(OpSpec spec) {
    return Conv2dSpec.of(spec.number("stride"), spec.number("padding"));
  }

  private static Runnable linear(OpSpec spec) {
    Tensor x = spec.random("x");
    Tensor w = spec.contiguous("w");
    Tensor bias = spec.normal(Shape.of(w.dim(0)));
    return () -> new Linear().apply(x, w, bias);
  }

  private static Runnable attention(OpSpec spec) {
    Tensor q = spec.contiguous("q");
    Tensor k = spec.contiguous("q");
    Tensor v = spec.contiguous("q");
    return () -> Attention.of(q, k, v);
  }

  private static Runnable attentionBackward(OpSpec spec) {
    Tensor q = spec.contiguous("q");
    Tensor k = spec.contiguous("q");
    Tensor v = spec.contiguous("q");
    Tensor g = spec.contiguous("q");
    return () -> {
      try (Tape tape = Tape.watching(List.of(q, k, v))) {
        tape.gradients(Attention.of(q, k, v).mul(g).sum());
      }
    };
  }

  private static Runnable groupNorm(OpSpec spec) {
    Tensor x = spec.random("x");
    Tensor w = spec.normal(Shape.of(x.dim(1)));
    Tensor b = spec.normal(Shape.of(x.dim(1)));
    int groups = spec.number("groups");
    return () -> Norms.groupNormSilu(x, groups, w, b, 1e-5);
  }

  private static Runnable roundTrip(OpSpec spec) {
    Tensor x = spec.random("x");
    return () -> Fourier.irfft(Fourier.rfft(x, 2), x.dim(-2), x.dim(-1));
  }

  private static Runnable sumAxis(OpSpec spec) {
    int axis = spec.number("axis");
    return single(spec, x -> x.sum(false, axis));
  }

  // Views cost nothing, so the copy that makes one row-major is timed.

  private static Runnable permute(OpSpec spec) {
    Tensor x = spec.contiguous("x").permute(spec.numbers("order"));
    return () -> x.contiguous();
  }

  private static Runnable slice(OpSpec spec) {
    int step = spec.number("step");
    int axis = spec.number("axis");
    Tensor whole = spec.contiguous("x");
    int start = spec.number("start");
    int count = (whole.dim(axis) - start + step - 1) / step;
    Tensor x = whole.slice(axis, start, count, step);
    return () -> x.contiguous();
  }

  private static Runnable gather(OpSpec spec) {
    Tensor x = spec.contiguous("x");
    int axis = spec.number("axis");
    int[] index = IntStream.range(0, x.dim(axis)).map(i -> i * 7 % x.dim(axis)).toArray();
    return () -> x.gather(axis, index);
  }

  private static Runnable adamW(OpSpec spec) {
    Tensor p = spec.contiguous("x");
    Tensor g = spec.contiguous("x");
    Tensor m = spec.zeros("x");
    Tensor v = spec.zeros("x");
    AdamSpec step = new AdamSpec(1e-4, 0.9, 0.999, 1e-8, 0.01, true, 1, 1);
    return () -> p.device().backend().optimizer().adam(p, g, m, v, step);
  }

  private static Runnable single(OpSpec spec, UnaryOperator<Tensor> op) {
    Tensor x = spec.random("x");
    return () -> {
      Tensor _ = op.apply(x);
    };
  }

  private static Runnable pair(OpSpec spec, BinaryOperator<Tensor> op) {
    Tensor left = spec.random("a");
    Tensor right = spec.random("b");
    return () -> {
      Tensor _ = op.apply(left, right);
    };
  }
}
