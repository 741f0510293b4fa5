package io.perflow.nn;

import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * A table of a network: one line for each layer that has parameters or multiplies, in the order in
 * which they run, and the totals. The network runs once to make it.
 *
 * <pre>{@code
 * System.out.print(Summary.of(unet, x, t));
 * }</pre>
 *
 * @param lines one per layer that ran; a layer that runs twice has two
 */
public record Summary(List<Line> lines) {
  /**
   * A layer of the network.
   *
   * @param name dotted name
   * @param kind class of the layer
   * @param output shape of the result
   * @param parameters trainable numbers of the layer itself
   * @param multiplyAdds products with a sum that the layer itself computes
   */
  public record Line(String name, String kind, Shape output, long parameters, long multiplyAdds) {}

  /** Copies the list. */
  public Summary {
    lines = List.copyOf(lines);
  }

  /** Runs a network and records its layers. */
  public static Summary of(Layer network, Tensor... inputs) {
    List<Line> lines = new ArrayList<>();
    try (Scope _ = Scope.open()) {
      Observer.during(
          (layer, given, output) -> note(lines, layer, given, output), () -> network.run(inputs));
    }
    return new Summary(lines);
  }

  private static void note(List<Line> lines, Layer layer, Tensor[] inputs, Tensor output) {
    long parameters = layer.ownParameterCount();
    long multiplyAdds = layer.multiplyAdds(inputs, output);
    if (parameters > 0 || multiplyAdds > 0) {
      String kind = layer.getClass().getSimpleName();
      lines.add(new Line(layer.path(), kind, output.shape(), parameters, multiplyAdds));
    }
  }

  /** Returns the trainable numbers of all lines. */
  public long parameters() {
    return lines.stream().mapToLong(Line::parameters).sum();
  }

  /** Returns the multiply-adds of all lines. */
  public long multiplyAdds() {
    return lines.stream().mapToLong(Line::multiplyAdds).sum();
  }

  /** Returns the table. */
  @Override
  public String toString() {
    int width = lines.stream().mapToInt(line -> line.name().length()).max().orElse(0);
    String format = "%-" + Math.max(5, width) + "s  %-12s  %-20s  %,14d  %,18d%n";
    StringBuilder table = new StringBuilder();
    table.append(
        (format.replace("%,14d", "%14s").replace("%,18d", "%18s"))
            .formatted("layer", "kind", "output", "parameters", "multiply-adds"));
    for (Line l : lines) {
      table.append(
          format.formatted(l.name(), l.kind(), l.output(), l.parameters(), l.multiplyAdds()));
    }
    return table.append(format.formatted("total", "", "", parameters(), multiplyAdds())).toString();
  }
}
