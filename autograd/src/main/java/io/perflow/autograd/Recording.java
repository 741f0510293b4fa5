package io.perflow.autograd;

import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.Op;
import io.perflow.tensor.op.Recorder;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.WeakHashMap;
import java.util.function.BiConsumer;

/**
 * The operations that depend on some leaves, in the order in which they ran, and the reverse pass
 * over them.
 *
 * <p>It receives every operation of its thread and passes it on to the enclosing recorder, so that
 * nested recordings all see the same computation.
 */
final class Recording implements Tracker {
  private final Recorder enclosing;
  private final Thread owner = Thread.currentThread();
  private final Map<Tensor, Variable> leaves = new IdentityHashMap<>();

  // The map is weak, because no later operation can use an unreachable tensor: outside scopes the
  // garbage collector frees what is not saved. Tensors compare by identity.
  private final Map<Tensor, Variable> variables = new WeakHashMap<>();
  private final ArrayList<Node> nodes = new ArrayList<>();
  private boolean open = true;

  /** Creates a recording on top of this thread's recorder, which is not installed yet. */
  Recording() {
    enclosing = Recorder.current();
  }

  /** Returns the recorder below, or null. */
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

  /** Returns the variable of a tensor, or null if it depends on no leaf. */
  Variable variable(Tensor tensor) {
    return variables.get(tensor);
  }

  /** Stops recording operations; the reverse pass remains possible. */
  void stop() {
    open = false;
  }

  /**
   * Runs a reverse pass that releases every node as soon as it is done with it.
   *
   * @param found receives each leaf with its gradient as soon as that is complete; null for no
   *     receiver
   */
  void consume(Variable output, Tensor seed, BiConsumer<Tensor, Tensor> found) {
    Map<Node, List<Tensor>> last = found == null ? Map.of() : lastAdded();
    output.accumulate(seed);
    while (!nodes.isEmpty()) {
      Node node = nodes.removeLast();
      try {
        node.propagate();
      } finally {
        node.release();
      }
      for (Tensor leaf : last.getOrDefault(node, List.of())) {
        Tensor gradient = leaves.get(leaf).gradient();
        if (gradient != null) {
          found.accept(leaf, gradient);
        }
      }
    }
  }

  // The leaves by the node that adds to their gradient last, which is the first one that used them.
  private Map<Node, List<Tensor>> lastAdded() {
    Map<Variable, Tensor> waiting = new IdentityHashMap<>();
    leaves.forEach((leaf, variable) -> waiting.put(variable, leaf));
    Map<Node, List<Tensor>> last = new IdentityHashMap<>();
    for (Node node : nodes) {
      for (Variable input : node.inputs()) {
        Tensor leaf = input == null ? null : waiting.remove(input);
        if (leaf != null) {
          last.computeIfAbsent(node, _ -> new ArrayList<>()).add(leaf);
        }
      }
    }
    return last;
  }

  /** Runs one of several reverse passes over the same nodes, which stay. */
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

  /**
   * Returns the gradient that a pass left at a leaf, or null; it now belongs to this thread's open
   * scope.
   */
  Tensor take(Tensor leaf) {
    Tensor gradient = leaves.get(leaf).take();
    if (gradient != null) {
      Scope.adopt(gradient.storage());
    }
    return gradient;
  }

  /** Releases everything that is still kept. */
  void release() {
    open = false;
    nodes.forEach(Node::release);
    nodes.clear();
    leaves.values().forEach(Variable::drop);
    variables.clear();
  }

  /** Throws when a thread uses a recording that belongs to another thread. */
  void requireOwner(String what) {
    if (!Thread.currentThread().equals(owner)) {
      throw new IllegalStateException(
          "this %s belongs to thread %s, not %s"
              .formatted(what, owner.getName(), Thread.currentThread().getName()));
    }
  }
}
