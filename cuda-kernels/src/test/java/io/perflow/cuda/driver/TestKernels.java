package io.perflow.cuda.driver;

import java.nio.file.Path;

/** The kernels of the emulator's own tests, which are in its module. */
final class TestKernels {
  /** Sources and PTX are below. */
  static final Path HOME = Path.of("../cuda-emulator/src/test");

  static final Path COMPUTING_CU = HOME.resolve("cuda/computing.cu");
  static final Path COMPUTING_PTX =
      HOME.resolve("resources/io/perflow/cuda/emulator/computing.ptx");

  private TestKernels() {}
}
