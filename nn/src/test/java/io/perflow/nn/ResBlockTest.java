package io.perflow.nn;

import static io.perflow.fixtures.Close.assertClose;

import io.perflow.autograd.Gradients;
import io.perflow.autograd.Tape;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A block computes the same from two images as from one image that joins them. */
class ResBlockTest {
  @ParameterizedTest
  @CsvSource({
    "1, 64, 32, 32, 8, 16, 12, false", // whole vectors
    "2, 20, 12, 24, 4, 9, 7, true", // a group across the seam, tails of vectors and of tiles
    "2, 3, 5, 8, 4, 6, 1, false", // images of one column
    "1, 1, 7, 4, 2, 5, 4, true" // too few channels for Winograd's algorithm, one of them alone
  })
  void twoImagesAreReadAsOne(
      int n, int first, int second, int out, int groups, int h, int w, boolean periodic) {
    ResBlock block =
        ResBlock.of(first + second, out, 6)
            .groups(groups)
            .periodic(periodic, false)
            .build(Rng.of(1));
    Initializer.nonZero(block, Rng.of(2));
    Tensor x = Rng.of(3).normal(Shape.of(n, first + second, h, w));
    Tensor e = Rng.of(4).normal(Shape.of(n, 6));
    Map<String, Tensor> joined = new LinkedHashMap<>();
    // an observed block computes layer by layer
    Observer.during((_, _, _) -> {}, () -> joined.putAll(run(block, x, e)));
    run(block, x, e)
        .forEach((name, found) -> assertClose(name + ", one", joined.get(name), found, 2e-5));
    Map<String, Tensor> apart =
        run(block, x.slice(1, 0, first), x.slice(1, first, first + second), e);
    apart.put("x.0", Tensor.concat(1, apart.get("x.0"), apart.get("x.1")));
    apart.put("x.1", apart.remove("x.2")); // the time
    joined.forEach((name, expected) -> assertClose(name, expected, apart.get(name), 2e-5));
  }

  /** The output and the gradients of its mean square. */
  private static Map<String, Tensor> run(ResBlock block, Tensor... inputs) {
    List<Tensor> watched = new ArrayList<>(block.values());
    watched.addAll(List.of(inputs));
    Map<String, Tensor> found = new LinkedHashMap<>();
    try (Tape tape = Tape.watching(watched)) {
      Tensor y = block.run(inputs);
      found.put("y", y);
      Gradients gradients = tape.gradients(y.square().mean());
      block.parameters().forEach((name, p) -> found.put(name, gradients.of(p.value())));
      for (int i = 0; i < inputs.length; i++) {
        found.put("x." + i, gradients.of(inputs[i]));
      }
    }
    return found;
  }
}
