package io.perflow.autograd;

import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.Op;
import io.perflow.tensor.op.Recorder;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.WeakHashMap;

/**
 * The operations that depend on some leaves, in the order they ran, and the reverse pass over them.
 *
 * <p>It hears every operation of its thread and passes each on to the recorder it was put on top
 * of, so that nested recordings all see the same computation.
 */
final class Recording implements Tracker {
  private final Recorder enclosing;
  private final Thread owner = Thread.currentThread();
  private final Map<Tensor, Variable> leaves = new IdentityHashMap<>();

  // Weak, since a tensor that nobody can name again needs no place here: outside scopes the
  // collector frees what is not saved. Tensors compare by identity.
  private final Map<Tensor, Variable> variables = new WeakHashMap<>();
  private final ArrayList<Node> nodes = new ArrayList<>();
  private boolean open = true;

  /** A recording on top of this thread's recorder, not yet installed. */
  Recording() {
    enclosing = Recorder.current();
  }

  /** The recorder below, or null. */
  Recorder enclosing() {
    return enclosing;
  }

  /** Adds a leaf. */
  void watch(Tensor leaf) {
    Variable variable = new Variable();
    if (leaves.putIfAbsent(Objects.requireNonNull(leaf, "a watched tensor is null"), variable)
        == null) {
      variables.put(leaf, variable);
    }
  }

  Iterable<Tensor> leaves() {
    return leaves.keySet();
  }

  @Override
  public void record(Op op, Tensor[] inputs, Tensor[] outputs) {
    if (open) {
      note(op, inputs, outputs);
    }
    if (enclosing != null) {
      enclosing.record(op, inputs, outputs);
    }
  }

  private void note(Op op, Tensor[] inputs, Tensor[] outputs) {
    Variable[] from = null;
    for (int i = 0; i < inputs.length; i++) {
      Variable variable = variables.get(inputs[i]);
      if (variable != null) {
        from = from == null ? new Variable[inputs.length] : from;
        from[i] = variable;
      }
    }
    if (from != null) {
      Variable result = new Variable();
      nodes.add(new Node(op, inputs, outputs, from, result));
      variables.put(outputs[0], result);
    }
  }

  @Override
  public boolean tracks(Tensor tensor) {
    return open && variables.containsKey(tensor)
        || enclosing instanceof Tracker below && below.tracks(tensor);
  }

  /** Where a tensor stands, or null when it depends on no leaf. */
  Variable variable(Tensor tensor) {
    return variables.get(tensor);
  }

  /** Stops noting operations; the reverse pass remains possible. */
  void stop() {
    open = false;
  }

  /** One reverse pass that lets go of every node as soon as it is done with it. */
  void consume(Variable output, Tensor seed) {
    output.accumulate(seed);
    while (!nodes.isEmpty()) {
      Node node = nodes.removeLast();
      try {
        node.propagate();
      } finally {
        node.release();
      }
    }
  }

  /** One reverse pass of several over the same nodes, which stay. */
  void replay(Variable output, Tensor seed) {
    boolean done = false;
    try {
      output.accumulate(seed);
      for (int i = nodes.size() - 1; i >= 0; i--) {
        nodes.get(i).propagate();
      }
      done = true;
    } finally {
      if (!done) {
        nodes.forEach(Node::dropGradient);
        leaves.values().forEach(Variable::drop);
      }
    }
  }

  /** The gradient a pass left at a leaf, or null; it now belongs to this thread's open scope. */
  Tensor take(Tensor leaf) {
    Tensor gradient = leaves.get(leaf).take();
    if (gradient != null) {
      Scope.adopt(gradient.storage());
    }
    return gradient;
  }

  /** Lets go of everything that is still held. */
  void release() {
    open = false;
    nodes.forEach(Node::release);
    nodes.clear();
    leaves.values().forEach(Variable::drop);
    variables.clear();
  }

  /** Throws when another thread uses what belongs to the one that made it. */
  void requireOwner(String what) {
    if (!Thread.currentThread().equals(owner)) {
      throw new IllegalStateException(
          "this %s belongs to thread %s, not %s"
              .formatted(what, owner.getName(), Thread.currentThread().getName()));
    }
  }
}
