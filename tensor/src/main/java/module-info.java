/** Tensors on the JVM: shapes, layouts, storage, operations and the CPU backends. */
module io.perflow.tensor {
  // Optional at run time: without the module the scalar backend does the work.
  requires static jdk.incubator.vector;

  uses io.perflow.tensor.backend.DeviceEmulator;
  uses io.perflow.tensor.backend.DeviceProvider;

  exports io.perflow.tensor;
  exports io.perflow.tensor.op;
  // To all, because operations that users write compute through a Backend.
  exports io.perflow.tensor.backend;
  exports io.perflow.tensor.io;
  exports io.perflow.tensor.disk to
      io.perflow.physics,
      io.perflow.flow;
}
