package io.perflow.flow.baseline;

import io.perflow.nn.Layer;
import io.perflow.nn.operator.FactorizedFno;
import io.perflow.nn.operator.Fno;
import io.perflow.nn.unet.ClassicUNet;
import io.perflow.physics.Problem;
import io.perflow.tensor.Named;
import io.perflow.tensor.Rng;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The network of a map between fields.
 *
 * @param kind the kind of network
 * @param width the number of channels; for a U-Net, of the first level
 * @param modes the number of frequencies kept on each axis; unused for a U-Net
 * @param layers the number of layers, or of levels of a U-Net
 */
public record SurrogateConfig(Kind kind, int width, int modes, int layers) {
  /** The kinds of networks that map fields to fields. */
  public enum Kind {
    /** The classic U-Net with batch norms. */
    UNET("UNet"),
    /** The Fourier neural operator. */
    FNO("FNO"),
    /** The factorized Fourier neural operator. */
    F_FNO("F-FNO");

    private final String label;

    Kind(String label) {
      this.label = label;
    }

    /** Returns the name in tables. */
    public String label() {
      return label;
    }
  }

  /** Returns the published sizes of a kind. */
  public static SurrogateConfig published(Kind kind) {
    return switch (kind) {
      case UNET -> new SurrogateConfig(kind, 32, 0, 4);
      case FNO -> new SurrogateConfig(kind, 32, 12, 4);
      case F_FNO -> new SurrogateConfig(kind, 64, 16, 24);
    };
  }

  /** Returns an untrained network. */
  Layer build(int in, int out, Problem problem, Rng rng) {
    return switch (kind) {
      case UNET -> ClassicUNet.of(in, out, width, layers, rng);
      case FNO -> fno(in, out, problem).build(rng);
      case F_FNO -> FactorizedFno.of(in, out).width(width).modes(modes).layers(layers).build(rng);
    };
  }

  /**
   * Configures the Fourier operator of these sizes, with zeros appended to axes that are not
   * periodic.
   */
  Fno.Builder fno(int in, int out, Problem problem) {
    return Fno.of2d(in, out)
        .width(width)
        .modes(modes)
        .layers(layers)
        .padding(
            problem.grid().rows().periodic() ? 0 : padding(problem.grid().height()),
            problem.grid().columns().periodic() ? 0 : padding(problem.grid().width()));
  }

  // An eighth of the points; the publication has 9 for 84 points.
  private static int padding(int size) {
    return Math.max(1, size / 8);
  }

  /** Returns the configuration for files. */
  public Map<String, Object> toJson() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("kind", kind.name().toLowerCase(Locale.ROOT));
    json.put("width", width);
    json.put("modes", modes);
    json.put("layers", layers);
    return json;
  }

  static SurrogateConfig of(Description read) throws IOException {
    return new SurrogateConfig(
        Named.parse(Kind.class, read.text("kind"), "kind"),
        read.integer("width"),
        read.integer("modes"),
        read.integer("layers"));
  }
}
