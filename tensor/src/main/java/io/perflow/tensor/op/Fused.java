package io.perflow.tensor.op;

import io.perflow.tensor.Tensor;

/**
 * An operation that could be composed of others and exists for speed alone.
 *
 * <p>The composition defines what it computes for code that knows the other operations, such as an
 * exporter to another format.
 */
public interface Fused extends Op {
  /** Returns the result of {@link #apply} to within rounding, made of other operations. */
  Tensor composed(Tensor... inputs);
}
