package io.perflow.nn;

import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.UnaryKind;

/**
 * A function of each element, as a layer of a {@link Sequential}; inside a layer the methods of
 * {@link Tensor} do the same.
 */
public final class Activation extends UnaryLayer {
  private final UnaryKind kind;

  private Activation(UnaryKind kind) {
    this.kind = kind;
  }

  /** Returns the layer of a function. */
  public static Activation of(UnaryKind kind) {
    return new Activation(kind);
  }

  /** Returns max(x, 0). */
  public static Activation relu() {
    return of(UnaryKind.RELU);
  }

  /** Returns x sigmoid(x). */
  public static Activation silu() {
    return of(UnaryKind.SILU);
  }

  /** Returns x Phi(x) with the normal distribution function Phi, in its exact form. */
  public static Activation gelu() {
    return of(UnaryKind.GELU);
  }

  /** Returns the hyperbolic tangent. */
  public static Activation tanh() {
    return of(UnaryKind.TANH);
  }

  /** Returns 1 / (1 + e^-x). */
  public static Activation sigmoid() {
    return of(UnaryKind.SIGMOID);
  }

  /** Returns log(1 + e^x). */
  public static Activation softplus() {
    return of(UnaryKind.SOFTPLUS);
  }

  /** Takes a tensor of any shape. */
  @Override
  protected Tensor forward(Tensor x) {
    return x.unary(kind);
  }
}
