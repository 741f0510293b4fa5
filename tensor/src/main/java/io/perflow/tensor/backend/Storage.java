package io.perflow.tensor.backend;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;

/**
 * Flat, typed memory on one device, without a shape.
 *
 * <p>A storage made inside a {@link io.perflow.tensor.Scope} is counted: the scope holds one
 * reference, a tape one for each gradient that needs it, and the memory is recycled when the last
 * is dropped. The garbage collector frees a storage that was made outside any scope; its count
 * never reaches zero.
 */
public abstract class Storage {
  private static final boolean TRACE = Boolean.getBoolean("perflow.traceLeaks");

  private final Throwable created = TRACE ? new Throwable("created here") : null;
  private int references = 1;
  private long version;

  /** Creates a storage; for backends. */
  protected Storage() {}

  /** Returns the device whose memory this is. */
  public abstract Device device();

  /** Returns the type of the numbers. */
  public abstract DataType type();

  /**
   * Tells that the contents were overwritten, so that what was computed from them is stale. Whoever
   * writes into memory that a {@link io.perflow.tensor.Tensor} already shows calls it.
   */
  public synchronized void changed() {
    version++;
  }

  /** How often the contents were overwritten: what was computed at an equal number still holds. */
  public final synchronized long version() {
    return version;
  }

  /** Frees the memory; called once, when the last reference is dropped. */
  protected abstract void free();

  /** Adds a reference. */
  public final synchronized void retain() {
    requireLive();
    references++;
  }

  /** Drops a reference; the last one frees the memory. */
  public final void release() {
    synchronized (this) {
      requireLive();
      references--;
      if (references > 0) {
        return;
      }
    }
    free();
  }

  /** Throws when the memory has been recycled. */
  protected final void requireLive() {
    if (references == 0) {
      throw new IllegalStateException(
          "this tensor's scope is closed and its memory recycled; keep it with scope.keep(tensor)"
              + (TRACE ? "" : " (-Dperflow.traceLeaks=true shows where it was made)"),
          created);
    }
  }
}
