/** Layers, U-Nets and optimizers. */
module io.perflow.nn {
  requires transitive io.perflow.autograd;
  requires transitive io.perflow.tensor;

  uses io.perflow.nn.distributed.Engine.Provider;

  exports io.perflow.nn;
  exports io.perflow.nn.distributed;
  exports io.perflow.nn.onnx;
  exports io.perflow.nn.operator;
  exports io.perflow.nn.optim;
  exports io.perflow.nn.unet;
}
