package io.perflow.tensor.op;

import io.perflow.tensor.Tensor;

/**
 * An operation that could be composed of others and is one for its speed alone.
 *
 * <p>The composition tells what it computes to readers that know the other operations, such as an
 * exporter to another format.
 */
public interface Fused extends Op {
  /** The result of {@link #apply} to within rounding, made of other operations. */
  Tensor composed(Tensor... inputs);
}
