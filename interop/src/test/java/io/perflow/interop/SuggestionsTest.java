package io.perflow.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.Problem;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SuggestionsTest extends FinderFiles {
  private static List<String> options(Problem problem, Tensor fields) {
    return Suggestions.of(problem, fields).stream().map(Suggestion::option).toList();
  }

  private Found noise(double mean) throws IOException {
    Tensor x = Rng.of(1).normal(Shape.of(20, 12, 12)).to(DataType.F64);
    Tensor fixed = x.sub(x.mean(true, 1, 2)).add(mean).to(DataType.F32);
    return find(PLAIN, npz("T", fixed));
  }

  @Test
  void meansThatAreTheSame() throws IOException {
    Found found = noise(300);
    List<Suggestion> suggestions = Suggestions.of(found.problem(), found.fields());
    assertEquals(
        List.of(
            "The mean of T over the grid is 300 in all fields; keep this exactly with --constrain"
                + " mass:T=300."),
        suggestions.stream().map(Suggestion::toString).toList());
    assertEquals("mass:T=300", Suggestions.conserved(found.problem(), found.fields(), "T"));
    Problem stated = found.problem().toBuilder().constrain("mass=300").build();
    assertEquals(List.of(), options(stated, found.fields()));
    Tensor broken = found.fields().add(Rng.of(2).normal(Shape.of(20, 1, 1, 1)));
    assertEquals(List.of(), options(found.problem(), broken));
    String message =
        assertThrows(
                IllegalArgumentException.class,
                () -> Suggestions.conserved(found.problem(), broken, "T"))
            .getMessage();
    assertTrue(
        message.matches(
            "--conserve T: the mean of T over the grid is not the same in all fields, it goes from"
                + " 29\\d\\.\\d+ to 30\\d\\.\\d+; leave --conserve T out"),
        message);
  }

  @Test
  void meansAlongAnAxisOutweighThoseOverTheGrid() throws IOException {
    Found found = noise(0);
    Tensor lines = found.fields().sub(found.fields().mean(true, 3)).add(-2.5);
    assertEquals(List.of("--constrain mass:T@x=-2.5"), options(found.problem(), lines));
  }

  @Test
  void constantWalls() throws IOException {
    Found found = noise(0);
    Tensor inner = found.fields().square().slice(2, 1, 11).slice(3, 1, 11);
    Tensor all = inner.pad(2, 1, 1).pad(3, 1, 1);
    assertEquals(List.of("--constrain dirichlet:T=0"), options(found.problem(), all));
    assertEquals(
        List.of("--constrain dirichlet:T@y=0"),
        options(found.problem(), found.fields().square().slice(2, 1, 11).pad(2, 1, 1)));
    Tensor low = found.fields().square().slice(3, 1, 12).pad(3, 1, 0);
    assertEquals(
        List.of("--constrain dirichlet:T@x-low=20"), options(found.problem(), low.add(20)));
    assertEquals(
        List.of("--constrain dirichlet:T@x-high=20"),
        options(found.problem(), low.flip(3).add(20)));
  }

  @Test
  void periodsThatLookLikely() throws IOException {
    Found found = find(PLAIN, npz("T", waves(9)));
    List<String> sentences =
        Suggestions.of(found.problem(), found.fields()).stream().map(Suggestion::toString).toList();
    assertTrue(
        sentences.contains(
            "y and x look periodic, since the first points follow on from the last in all fields;"
                + " if they are, add --periodic y,x."),
        sentences.toString());
    Tensor waves = waves(9);
    Found closed = find(PLAIN, npz("T", Tensor.concat(2, waves, waves.slice(2, 0, 1))));
    assertTrue(
        Suggestions.of(closed.problem(), closed.fields()).stream()
            .anyMatch(
                s -> s.sentence().startsWith("x looks periodic, since the last points repeat")));
    Found half = find(PLAIN, npz("T", waves.slice(2, 0, 11)));
    noted(half, "x does not look periodic, so it has two ends; --periodic x says otherwise.");
    noted(
        find(PLAIN.periodic(List.of("x")), npz("T", waves.slice(2, 0, 11))),
        "x is periodic as you said, but the fields jump between its last and its first points by"
            + " several usual steps.");
  }

  @Test
  void flowsThatAreFreeOfDivergence() throws IOException {
    // a stream function of waves: u = d/dy psi along x, v = -d/dx psi along y
    double[] u = new double[9 * 256];
    double[] v = new double[9 * 256];
    Rng rng = Rng.of(4);
    for (int i = 0; i < 9; i++) {
      double p = 6 * rng.nextDouble();
      double q = 6 * rng.nextDouble();
      for (int k = 0; k < 256; k++) {
        double y = Math.PI / 8 * (k / 16) + p;
        double x = Math.PI / 8 * (k % 16) + q;
        u[i * 256 + k] = Math.cos(y) * Math.sin(2 * x);
        v[i * 256 + k] = -2 * Math.sin(y) * Math.cos(2 * x);
      }
    }
    Path file = npz("u", Tensor.of(u, 9, 16, 16), "v", Tensor.of(v, 9, 16, 16));
    FinderOptions periodic = PLAIN.periodic(List.of("y", "x"));
    Found found = find(periodic, file);
    assertTrue(
        Suggestions.of(found.problem(), found.fields()).stream()
            .map(Suggestion::toString)
            .anyMatch(
                text ->
                    text.equals(
                        "The flow with v along y and u along x is free of divergence;"
                            + " keep this exactly with --vector v,u --constrain"
                            + " divergence-free.")),
        Suggestions.of(found.problem(), found.fields()).toString());
    Map<String, String> order = new LinkedHashMap<>();
    Stream.of("v", "u").forEach(name -> order.put(name, name));
    Found ordered = find(periodic.channels(order), file);
    assertTrue(
        options(ordered.problem(), ordered.fields())
            .contains("--vector v,u --constrain divergence-free"));
    Problem stated =
        ordered.problem().toBuilder().vector("v", "u").constrain("divergence-free").build();
    assertTrue(options(stated, ordered.fields()).stream().noneMatch(o -> o.contains("divergence")));
  }
}
