/** The CUDA backend, found through the service interface of the tensor module. */
module io.perflow.cuda {
  requires transitive io.perflow.tensor;
  requires jcuda;
  requires jcublas;
  requires jcufft;

  provides io.perflow.tensor.backend.DeviceProvider with
      io.perflow.cuda.CudaDeviceProvider;

  exports io.perflow.cuda;
  exports io.perflow.cuda.driver;
  exports io.perflow.cuda.ptx to
      io.perflow.cuda.emulator;
}
