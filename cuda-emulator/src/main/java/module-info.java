/** A CUDA device in plain Java, found through the service interface of the tensor module. */
module io.perflow.cuda.emulator {
  requires transitive io.perflow.cuda;

  provides io.perflow.tensor.backend.DeviceEmulator with
      io.perflow.cuda.emulator.Emulator;

  exports io.perflow.cuda.emulator;
  exports io.perflow.cuda.emulator.ptx;
}
