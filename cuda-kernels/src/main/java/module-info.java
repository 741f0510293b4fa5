/** The CUDA backend, found through the service interface of the tensor module. */
module io.perflow.cuda {
  requires transitive io.perflow.tensor;
  requires jcuda;
  requires jcublas;
  requires jcufft;

  exports io.perflow.cuda.driver;
  exports io.perflow.cuda.emulator;
  exports io.perflow.cuda.ptx;
}
