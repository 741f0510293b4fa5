package io.perflow.cli;

import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Fourier;
import io.perflow.tensor.Images;
import io.perflow.tensor.Layout;
import io.perflow.tensor.Norms;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.Attention;
import io.perflow.tensor.op.Conv2dBackwardInput;
import io.perflow.tensor.op.Conv2dBackwardWeight;
import java.util.List;
import java.util.Map;

/**
 * One operation of a timing list with its input made. Images lie channels last, as the CPU backend
 * keeps them inside a network; memory comes from a scope, as in a sampler or a trainer.
 */
record OpCase(String name, Runnable task) {
  static OpCase of(Object entry) {
    if (!(entry instanceof Map<?, ?> map)) {
      throw new IllegalArgumentException("an operation must be a JSON object, not " + entry);
    }
    Fields f = new Fields(map, Rng.of(1));
    Runnable body = f.body();
    Runnable scoped =
        () -> {
          try (Scope scope = Scope.open()) {
            body.run();
          }
        };
    return new OpCase(f.text("name"), scoped);
  }

  @FunctionalInterface
  private interface One {
    void run(Tensor x);
  }

  @FunctionalInterface
  private interface Two {
    void run(Tensor a, Tensor b);
  }

  private record Fields(Map<?, ?> map, Rng rng) {
    Runnable body() {
      return switch (text("op")) {
        case "conv2d" -> conv();
        case "conv2d_backward" -> convBackward();
        case "matmul" -> pair("a", "b", Tensor::matmul);
        case "attention" -> attention();
        case "groupnorm_silu" -> groupNorm();
        case "rfft2_roundtrip" -> roundTrip();
        case "add" -> pair("a", "b", Tensor::add);
        case "sum" -> single(Tensor::sum);
        case "silu" -> single(Tensor::silu);
        case "concat" -> pair("a", "b", (a, b) -> Tensor.concat(1, a, b));
        case String other -> throw new IllegalArgumentException("unknown operation " + other);
      };
    }

    private Runnable conv() {
      Tensor x = random("x");
      Tensor w = contiguous("w");
      Conv2dSpec spec = spec();
      return () -> Images.conv2d(x, w, null, spec);
    }

    private Runnable convBackward() {
      Tensor x = random("x");
      Tensor w = contiguous("w");
      Conv2dSpec spec = spec();
      Tensor g = image(rng.normal(Images.conv2d(x, w, null, spec).shape()));
      return () -> {
        // a fresh copy, because in training the weights are new at every step and packed again
        Tensor fresh = w.device().backend().memory().copy(w, w.layout());
        new Conv2dBackwardInput(spec, x.shape()).apply(g, fresh);
        new Conv2dBackwardWeight(spec, w.shape()).apply(x, g);
      };
    }

    private Runnable attention() {
      Tensor q = random("q");
      Tensor k = random("q");
      Tensor v = random("q");
      return () -> Attention.of(q, k, v);
    }

    private Runnable groupNorm() {
      Tensor x = random("x");
      Tensor w = rng.normal(Shape.of(x.dim(1)));
      Tensor b = rng.normal(Shape.of(x.dim(1)));
      int groups = number("groups");
      return () -> Norms.groupNormSilu(x, groups, w, b, 1e-5);
    }

    private Runnable roundTrip() {
      Tensor x = random("x");
      return () -> Fourier.irfft(Fourier.rfft(x, 2), x.dim(-2), x.dim(-1));
    }

    private Runnable single(One op) {
      Tensor x = random("x");
      return () -> op.run(x);
    }

    private Runnable pair(String a, String b, Two op) {
      Tensor left = random(a);
      Tensor right = random(b);
      return () -> op.run(left, right);
    }

    private Conv2dSpec spec() {
      return Conv2dSpec.of(number("stride"), number("padding"));
    }

    private Tensor random(String field) {
      Tensor x = contiguous(field);
      return text("op").equals("attention") ? x : image(x);
    }

    private Tensor contiguous(String field) {
      return rng.normal(Device.cpu(), shape(field), DataType.F32);
    }

    private static Tensor image(Tensor x) {
      return x.rank() == 4
          ? x.device().backend().memory().copy(x, Layout.channelsLast(x.shape()))
          : x;
    }

    private Shape shape(String field) {
      if (!(map.get(field) instanceof List<?> list)) {
        throw new IllegalArgumentException(text("name") + ": no shape \"" + field + "\"");
      }
      return Shape.of(list.stream().mapToInt(n -> ((Number) n).intValue()).toArray());
    }

    private int number(String field) {
      if (!(map.get(field) instanceof Number n)) {
        throw new IllegalArgumentException(text("name") + ": no number \"" + field + "\"");
      }
      return n.intValue();
    }

    String text(String field) {
      if (!(map.get(field) instanceof String s)) {
        throw new IllegalArgumentException("an operation has no \"" + field + "\": " + map);
      }
      return s;
    }
  }
}
