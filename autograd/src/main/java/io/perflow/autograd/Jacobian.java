package io.perflow.autograd;

import io.perflow.tensor.Check;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.Recorder;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The Jacobian J of a function at a point, as products with it and with its transpose; the matrix
 * is never formed. It serves iterations that need many products at one point: Gauss-Newton steps,
 * conjugate gradients on J J', projections on a constraint manifold.
 *
 * <pre>{@code
 * try (Jacobian j = Jacobian.of(f, x)) {
 *   Tensor y = j.value();             // f(x)
 *   Tensor g = j.transposedTimes(u);  // J' u, of the shape of x
 *   Tensor t = j.times(v);            // J v, of the shape of y
 * }
 * }</pre>
 *
 * <p>The function runs once. {@code transposedTimes} is a reverse pass. {@code times}, the product
 * of forward mode, is one as well: u to J' u is linear, so its own reverse pass is v to J v
 * whatever u is. The first call records that linear map with u = 0, which needs gradient rules made
 * of operations, and later calls replay it.
 *
 * <p>Products are differentiable by a tape that is open when they are made, and with respect to x
 * as well if the tape was open before the Jacobian was made. The tensors that the function's
 * gradient needs are kept until {@link #close}. A Jacobian belongs to the thread that made it.
 */
public final class Jacobian implements AutoCloseable {
  private final Tensor x;
  private final Tensor value;
  private final Recording function = new Recording();
  private final Variable output; // null when the value does not depend on x
  private Recording adjoint; // the tape of u -> J' u, made by the first times()
  private Tensor adjointInput;
  private Variable adjointOutput;
  private boolean closed;

  private Jacobian(Function<Tensor, Tensor> f, Tensor x) {
    this.x = x;
    function.watch(x);
    value = recorded(function, () -> f.apply(x));
    output = function.variable(value);
  }

  /** Runs the function at x and keeps the tensors that products with its Jacobian need. */
  public static Jacobian of(Function<Tensor, Tensor> f, Tensor x) {
    return new Jacobian(f, x);
  }

  /** Returns the function's value at x. */
  public Tensor value() {
    return value;
  }

  /**
   * Returns J' u, the vector-Jacobian product.
   *
   * @param u of the value's shape
   */
  public Tensor transposedTimes(Tensor u) {
    requireOpen("transposed_times", u, value);
    Tensor product = output == null ? null : pass(function, output, u, x);
    return product == null ? x.zerosLike() : product;
  }

  /**
   * Returns J v, the Jacobian-vector product.
   *
   * @param v of x's shape
   * @throws UnsupportedOperationException when a gradient rule cannot be differentiated
   */
  public Tensor times(Tensor v) {
    requireOpen("times", v, x);
    if (output != null && adjoint == null) {
      recordAdjoint();
    }
    Tensor product = adjointOutput == null ? null : pass(adjoint, adjointOutput, v, adjointInput);
    return product == null ? value.zerosLike() : product;
  }

  private void recordAdjoint() {
    Recording linear = new Recording();
    adjointInput = value.zerosLike();
    linear.watch(adjointInput);
    try (Scope _ = Scope.open()) {
      Tensor product = recorded(linear, () -> pass(function, output, adjointInput, x));
      adjointOutput = product == null ? null : linear.variable(product);
    }
    adjoint = linear;
  }

  private static Tensor pass(Recording recording, Variable from, Tensor seed, Tensor leaf) {
    recording.replay(from, seed);
    return recording.take(leaf);
  }

  private static Tensor recorded(Recording recording, Supplier<Tensor> run) {
    Recorder before = Recorder.install(recording);
    boolean done = false;
    try {
      Tensor result = run.get();
      done = true;
      return result;
    } finally {
      Recorder.install(before);
      recording.stop();
      if (!done) {
        recording.release();
      }
    }
  }

  private void requireOpen(String op, Tensor vector, Tensor like) {
    function.requireOwner("Jacobian");
    if (closed) {
      throw new IllegalStateException("this Jacobian is closed");
    }
    Check.sameShape(op, "vector", vector, like.shape());
    Check.compatible(op, like, vector);
  }

  /** Releases the tensors that the products need; a second call is harmless. */
  @Override
  public void close() {
    if (!closed) {
      function.requireOwner("Jacobian");
      closed = true;
      function.release();
      if (adjoint != null) {
        adjoint.release();
      }
    }
  }
}
