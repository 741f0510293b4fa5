package io.perflow.tensor.op;

import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;

/**
 * The inputs of a gradient rule: the incoming gradient and the tensors that {@link Op#saved} named.
 */
public interface Vjp {
  /** Gradient with respect to the result, of its shape. */
  Tensor grad();

  /** Input i; it must have been named by {@link Op#saved}. */
  Tensor input(int i);

  /** Output i; it must have been named by {@link Op#saved}. */
  Tensor output(int i);

  /** Returns the shape of input i, saved or not. */
  Shape shape(int i);

  /** Returns the number of inputs. */
  int count();

  /** Returns whether the gradient of input i is needed. */
  boolean needs(int i);
}
