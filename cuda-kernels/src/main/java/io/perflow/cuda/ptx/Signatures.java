package io.perflow.cuda.ptx;

import io.perflow.cuda.driver.Param;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The facts of a PTX file that a launch needs: the version that the driver must understand, and the
 * parameters of each kernel. The driver reads the instructions.
 */
public record Signatures(String version, Map<String, List<Param>> kernels) {
  public Signatures {
    kernels = Map.copyOf(kernels);
  }

  /**
   * Reads the signatures of a PTX file.
   *
   * @throws PtxException when a parameter list is not PTX, with the line
   */
  public static Signatures of(String text) {
    Tokens in = new Tokens(text);
    String version = "";
    Map<String, List<Param>> kernels = new HashMap<>();
    while (!in.atEnd()) {
      switch (in.take()) {
        case ".version" -> version = in.take();
        case ".entry" -> kernels.put(in.take(), Declaration.params(in));
        default -> {}
      }
    }
    return new Signatures(version, kernels);
  }
}
