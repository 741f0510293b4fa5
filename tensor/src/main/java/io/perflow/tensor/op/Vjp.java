package io.perflow.tensor.op;

import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;

/**
 * The inputs of a gradient rule: the incoming gradient and the tensors that {@link Op#saved} named.
 */
public interface Vjp {
  /** Returns the gradient with respect to the result, in the result's shape. */
  Tensor grad();

  /** Returns input i, which {@link Op#saved} must have named. */
  Tensor input(int i);

  /** Returns output i, which {@link Op#saved} must have named. */
  Tensor output(int i);

  /** Returns the shape of input i, saved or not. */
  Shape shape(int i);

  /** Returns the number of inputs. */
  int count();

  /** Returns whether the gradient of input i is needed. */
  boolean needs(int i);
}
