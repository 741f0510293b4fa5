package io.perflow.autograd;

import io.perflow.tensor.Check;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.Recorder;
import java.util.Arrays;
import java.util.Collection;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * A recording of the operations that one thread runs on watched tensors while it is open, for one
 * reverse pass.
 *
 * <pre>{@code
 * try (Tape tape = Tape.watching(w, b)) {
 *   Tensor loss = x.matmul(w).add(b).sub(y).square().mean();
 *   Gradients g = tape.gradients(loss);
 *   ... g.of(w), g.of(b) ...
 * }
 * }</pre>
 *
 * <p>An operation is recorded when one of its inputs is watched or was computed from a watched one;
 * of its tensors, only those that {@code Op.saved} names are kept alive, even after the end of a
 * {@link io.perflow.tensor.Scope}. The reverse pass runs through the operations from the last to
 * the first, multiplies by the transposed Jacobian of each (its {@code vjp}), adds gradients where
 * a tensor was used several times, and releases memory on the way.
 *
 * <p><b>Second derivatives.</b> Tapes nest. While an inner tape runs its reverse pass the enclosing
 * one records it, so that gradients can be differentiated again:
 *
 * <pre>{@code
 * try (Tape outer = Tape.watching(x)) {
 *   Tensor slope;
 *   try (Tape inner = Tape.watching(x)) {
 *     slope = inner.gradients(f(x)).of(x);
 *   }
 *   Tensor hv = outer.gradients(slope.mul(v).sum()).of(x); // Hessian of f times v
 * }
 * }</pre>
 *
 * <p>A tape is for one thread and one reverse pass. Tensors are distinguished by identity: {@code
 * w.reshape(...)} made before the tape was opened is not {@code w}.
 */
public final class Tape implements AutoCloseable {
  private final Recording recording = new Recording();
  private boolean installed = true;
  private boolean used;
  private boolean closed;

  private Tape(Collection<Tensor> leaves) {
    leaves.forEach(recording::watch);
    Recorder.install(recording);
  }

  /** Opens a tape that follows these tensors, on top of this thread's open one if there is one. */
  public static Tape watching(Tensor... leaves) {
    return new Tape(Arrays.asList(leaves));
  }

  /** Opens a tape that follows these tensors, on top of this thread's open one if there is one. */
  public static Tape watching(Collection<Tensor> leaves) {
    return new Tape(leaves);
  }

  /**
   * Returns the gradients of a scalar with respect to every watched tensor.
   *
   * @throws io.perflow.tensor.ShapeException when {@code scalar} has several elements
   * @throws IllegalArgumentException when it does not depend on anything watched
   * @throws IllegalStateException when this tape has been used or closed, belongs to another thread
   *     or has an open one on top
   * @throws UnsupportedOperationException when an enclosing tape needs a second derivative that an
   *     operation does not have
   */
  public Gradients gradients(Tensor scalar) {
    requireScalar(scalar);
    return gradients(scalar, one(scalar), null);
  }

  /**
   * Returns the gradients as {@link #gradients(Tensor)} does, and reports every gradient as soon as
   * it is complete, while the pass goes on towards the inputs: the last layers of a network come
   * first. A tensor that the scalar does not depend on is not reported.
   *
   * @param found receives the watched tensor and its gradient, on this thread; it must copy what it
   *     keeps
   */
  public Gradients gradients(Tensor scalar, BiConsumer<Tensor, Tensor> found) {
    requireScalar(scalar);
    return gradients(scalar, one(scalar), Objects.requireNonNull(found));
  }

  private static Tensor one(Tensor scalar) {
    return Tensor.full(scalar.device(), scalar.shape(), scalar.type(), 1);
  }

  private static void requireScalar(Tensor scalar) {
    Check.that(
        scalar.size() == 1,
        "gradients",
        "the output of shape %s is not a scalar; reduce it (sum, mean) or give a seed of its shape",
        scalar.shape());
  }

  /**
   * Computes a vector-Jacobian product: the gradients of the sum of {@code output * seed}, for an
   * output of any shape and a seed of the same shape.
   *
   * @throws io.perflow.tensor.ShapeException when the shapes differ
   * @throws IllegalArgumentException as {@link #gradients(Tensor)}
   * @throws IllegalStateException as {@link #gradients(Tensor)}
   * @throws UnsupportedOperationException as {@link #gradients(Tensor)}
   */
  public Gradients gradients(Tensor output, Tensor seed) {
    return gradients(output, seed, null);
  }

  private Gradients gradients(Tensor output, Tensor seed, BiConsumer<Tensor, Tensor> found) {
    requireUsable();
    Shape shape = output.shape();
    Check.sameShape("gradients", "seed", seed, shape);
    Check.compatible("gradients", output, seed);
    Variable from = recording.variable(output);
    if (from == null) {
      throw new IllegalArgumentException(
          "the output of shape %s does not depend on anything this tape watches".formatted(shape));
    }
    used = true;
    uninstall();
    try {
      recording.consume(from, seed, found);
      return new Gradients(recording);
    } finally {
      recording.release();
    }
  }

  /**
   * Runs a block of a computation without keeping the tensors that its gradient needs, and runs it
   * again in the reverse pass, which trades time for memory (Chen et al., Training deep nets with
   * sublinear memory cost, 2016). Watched tensors that the block uses but that are not arguments,
   * such as its parameters, receive their gradients as well. Without an open tape the block is
   * simply run.
   *
   * <p>The block must compute the same result when it runs again: draw random numbers outside it.
   * Of the tensors that it makes, only its result outlives it.
   */
  public static Tensor checkpoint(Function<Tensor[], Tensor> block, Tensor... inputs) {
    return Checkpoint.run(block, inputs);
  }

  /** Stops recording and releases what is still kept; a second call is harmless. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    recording.requireOwner("tape");
    closed = true;
    uninstall();
    recording.release();
  }

  /**
   * Returns whether a tensor is watched or was computed from a watched one while this tape was
   * open.
   */
  boolean follows(Tensor tensor) {
    return recording.variable(tensor) != null;
  }

  private void requireUsable() {
    recording.requireOwner("tape");
    if (closed) {
      throw new IllegalStateException("this tape is closed");
    }
    if (used) {
      throw new IllegalStateException(
          "this tape has been used; open a new one for every reverse pass");
    }
    if (Recorder.current() != recording) {
      throw new IllegalStateException(
          "another tape was opened on top of this one and is still open; close it first");
    }
  }

  // Removes this recording from the thread, with any forgotten one on top of it.
  private void uninstall() {
    if (installed) {
      installed = false;
      Recorder top = Recorder.current();
      while (top != recording && top instanceof Recording forgotten) {
        forgotten.release();
        top = forgotten.enclosing();
      }
      if (top == recording) {
        Recorder.install(recording.enclosing());
      }
    }
  }
}
