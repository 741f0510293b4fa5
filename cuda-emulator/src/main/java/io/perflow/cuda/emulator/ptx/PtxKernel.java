package io.perflow.cuda.emulator.ptx;

import io.perflow.cuda.driver.Param;
import java.util.List;
import java.util.Map;

/**
 * A kernel: parameters, variables of its own, instructions, and the instruction each label stands
 * before. {@code maxThreads} is the bound on the threads of a block that the kernel was compiled
 * for, or 1024.
 */
public record PtxKernel(
    String name,
    List<Param> params,
    List<Variable> variables,
    List<Instruction> instructions,
    Map<String, Integer> labels,
    int maxThreads) {
  public PtxKernel {
    params = List.copyOf(params);
    variables = List.copyOf(variables);
    instructions = List.copyOf(instructions);
    labels = Map.copyOf(labels);
  }
}
