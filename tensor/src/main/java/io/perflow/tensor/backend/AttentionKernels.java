package io.perflow.tensor.backend;

import io.perflow.tensor.Tensor;

/** Kernels of softmax and of attention, which is built on it. */
public interface AttentionKernels {
  /** Returns the softmax along the last axis. */
  Tensor softmax(Tensor x);

  /** Returns the gradient of {@link #softmax} from its result y and dy: y (dy - sum(y dy)). */
  Tensor softmaxBackward(Tensor y, Tensor dy);

  /**
   * Returns softmax(scale q k') v for q (b, h, lq, d), k (b, h, lk, d), v (b, h, lk, dv).
   *
   * @return the result (b, h, lq, dv) and the log-sum-exp of each row of scores (b, h, lq)
   */
  Tensor[] attention(Tensor q, Tensor k, Tensor v, double scale);

  /** Returns the gradients of {@link #attention} with respect to q, k and v. */
  Tensor[] attentionBackward(
      Tensor q, Tensor k, Tensor v, Tensor out, Tensor logSumExp, Tensor dout, double scale);
}
