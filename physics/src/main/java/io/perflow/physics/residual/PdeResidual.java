package io.perflow.physics.residual;

import io.perflow.tensor.Tensor;
import java.util.List;

/**
 * The residual of an equation at each point: a differentiable function of fields [batch, channels,
 * height, width] in physical units.
 *
 * <table>
 * <caption>Residuals by name</caption>
 * <tr><th>name</th><th>channels</th><th>residual</th></tr>
 * <tr><td>burgers-published</td><td>u</td><td rowspan="2">{@link BurgersResidual}</td></tr>
 * <tr><td>burgers-corrected</td><td>u</td></tr>
 * <tr><td>poisson-published</td><td>f, u</td><td rowspan="2">{@link PoissonResidual}</td></tr>
 * <tr><td>poisson-corrected</td><td>f, u</td></tr>
 * <tr><td>darcy-published</td><td>a, p</td><td rowspan="3">{@link DarcyResidual}</td></tr>
 * <tr><td>darcy-corrected</td><td>a, p at nodes</td></tr>
 * <tr><td>darcy-cells-corrected</td><td>a, p at cell centres</td></tr>
 * <tr><td>ns-published</td><td>vorticities</td><td>{@link VorticityResidual}</td></tr>
 * <tr><td>ns-corrected</td><td>u1 … uF, v1 … vF</td><td>{@link DivergenceResidual}</td></tr>
 * </table>
 */
public interface PdeResidual {

  /** Returns the name, as {@link #of} takes it. */
  String name();

  /**
   * Returns the residual at each point where it is defined, [batch, equations, rows, columns].
   *
   * @param field [batch, channels, height, width] in physical units
   * @throws io.perflow.tensor.ShapeException when the channels are not those of the equation, or
   *     the grid has fewer than three points along an axis
   */
  Tensor residual(Tensor field);

  /** Returns the mean square of the residual of each sample, of shape [batch]. */
  default Tensor meanSquare(Tensor field) {
    return residual(field).square().mean(1, 2, 3);
  }

  /** Returns all residuals, with the benchmarks' parameters. */
  static List<PdeResidual> all() {
    return List.of(
        BurgersResidual.published(),
        BurgersResidual.corrected(),
        PoissonResidual.published(),
        PoissonResidual.corrected(),
        DarcyResidual.published(),
        DarcyResidual.corrected(),
        DarcyResidual.correctedOnCells(),
        VorticityResidual.published(),
        DivergenceResidual.corrected());
  }

  /**
   * Returns the residual with a name.
   *
   * @throws IllegalArgumentException listing the existing names
   */
  static PdeResidual of(String name) {
    for (PdeResidual residual : all()) {
      if (residual.name().equals(name)) {
        return residual;
      }
    }
    throw new IllegalArgumentException(
        "unknown residual '%s'; known: %s"
            .formatted(name, String.join(", ", all().stream().map(PdeResidual::name).toList())));
  }
}
