package io.perflow.cuda.emulator.ptx;

import io.perflow.cuda.ptx.PtxException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A PTX file: what its header asks for, the variables of the module, and its kernels in the order
 * of the file.
 */
public record PtxModule(
    String version, String target, List<Variable> variables, Map<String, PtxKernel> kernels) {
  public PtxModule {
    variables = List.copyOf(variables);
    kernels = Collections.unmodifiableMap(new LinkedHashMap<>(kernels));
  }

  /**
   * Reads a PTX file.
   *
   * @throws PtxException when the text is not PTX as far as this parser knows it, with the line
   */
  public static PtxModule parse(String text) {
    return new PtxParser(text).module();
  }

  /** Returns the kernel of that name. */
  public PtxKernel kernel(String name) {
    PtxKernel kernel = kernels.get(name);
    if (kernel == null) {
      throw new IllegalArgumentException(
          "no kernel " + name + " in this module, which has " + kernels.keySet());
    }
    return kernel;
  }
}
