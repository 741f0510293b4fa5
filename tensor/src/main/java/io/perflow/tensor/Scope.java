package io.perflow.tensor;

import io.perflow.tensor.backend.Storage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.function.Supplier;

/**
 * A part of a computation whose memory is recycled at its end.
 *
 * <pre>{@code
 * try (Scope scope = Scope.open()) {
 *   Tensor h = x.matmul(w).silu();
 *   return scope.keep(h.matmul(v)); // everything else goes back to the pool
 * }
 * }</pre>
 *
 * <p>CPU tensors need no scope: outside a scope they live on the heap like any object. Inside a
 * scope, a loop over the same shapes soon allocates no new large array. Scopes nest and belong to
 * the thread that opened them; closing twice is harmless; using a tensor whose scope is closed
 * throws.
 */
public final class Scope implements AutoCloseable {
  private static final ThreadLocal<Scope> CURRENT = new ThreadLocal<>();

  // The lists of closed scopes, kept for reuse: a network opens several scopes for every layer.
  private static final ThreadLocal<ArrayDeque<ArrayList<Storage>>> SPARE =
      ThreadLocal.withInitial(ArrayDeque::new);

  private final Scope parent;
  private final Thread owner = Thread.currentThread();
  private final ArrayList<Storage> storages;
  private boolean closed;

  private Scope(Scope parent) {
    this.parent = parent;
    ArrayList<Storage> spare = SPARE.get().pollLast();
    storages = spare == null ? new ArrayList<>() : spare;
  }

  /** Opens a scope; tensors made by this thread belong to it until it is closed. */
  public static Scope open() {
    Scope scope = new Scope(CURRENT.get());
    CURRENT.set(scope);
    return scope;
  }

  /** Returns whether this thread has an open scope. */
  public static boolean isOpen() {
    return CURRENT.get() != null;
  }

  /** Adds a new storage to the innermost open scope of this thread; for backends. */
  public static void adopt(Storage storage) {
    Scope scope = CURRENT.get();
    if (scope != null) {
      scope.storages.add(storage);
    }
  }

  /**
   * Moves a tensor's memory to the enclosing scope, or to the garbage collector when there is none.
   * A tensor that belongs to another scope is returned as it is.
   */
  public Tensor keep(Tensor tensor) {
    if (closed) {
      return tensor; // the list already serves another scope
    }
    Storage kept = tensor.storage();
    // Searched from the back, because what is kept is nearly always among the last tensors made.
    for (int i = storages.size() - 1; i >= 0; i--) {
      if (storages.get(i) == kept) {
        storages.remove(i);
        if (parent != null) {
          parent.storages.add(kept);
        }
        break;
      }
    }
    return tensor;
  }

  /**
   * Keeps a tensor as {@link #keep(Tensor)} does and replaces one that an earlier scope kept for
   * the enclosing loop: the memory of the replaced tensor is recycled with this scope, so that a
   * loop that carries a state holds only two of them, however long it runs. The replaced tensor
   * must not be used elsewhere.
   */
  public Tensor keep(Tensor tensor, Tensor replaced) {
    Storage old = replaced.storage();
    if (!closed && old != tensor.storage()) {
      keep(tensor);
      if (parent != null) {
        parent.storages.remove(old);
      }
      storages.add(old);
    }
    return tensor;
  }

  /**
   * Removes a tensor's memory from every open scope of this thread, for tensors that outlive them
   * all, such as parameters.
   */
  public static Tensor detach(Tensor tensor) {
    for (Scope scope = CURRENT.get(); scope != null; scope = scope.parent) {
      scope.storages.remove(tensor.storage());
    }
    return tensor;
  }

  /**
   * Runs a computation whose result outlives every open scope of this thread, such as a value that
   * is cached for later calls.
   */
  public static <T> T outside(Supplier<T> work) {
    Scope before = CURRENT.get();
    CURRENT.remove();
    try {
      return work.get();
    } finally {
      CURRENT.set(before);
    }
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    if (Thread.currentThread() != owner) {
      throw new IllegalStateException(
          "this scope belongs to thread %s, not %s"
              .formatted(owner.getName(), Thread.currentThread().getName()));
    }
    closed = true;
    for (Scope inner = CURRENT.get(); inner != this && inner != null; inner = inner.parent) {
      inner.close(); // an inner scope that was never closed ends with the outer one
    }
    CURRENT.set(parent);
    for (int i = 0; i < storages.size(); i++) {
      storages.get(i).release();
    }
    storages.clear();
    SPARE.get().addLast(storages);
  }
}
