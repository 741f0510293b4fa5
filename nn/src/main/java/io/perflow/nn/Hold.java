package io.perflow.nn;

import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A lock that prevents changes to the parameters of a network while a thread computes with it;
 * {@link Layer#hold} opens it. Any number of threads may hold a network at once, and a thread may
 * do so repeatedly. The thread that opened it must close it.
 */
public final class Hold implements AutoCloseable {
  private final Lock lock;
  private boolean closed;

  private Hold(Lock lock) {
    this.lock = lock;
  }

  static Hold reading(ReentrantReadWriteLock lock) {
    lock.readLock().lock();
    return new Hold(lock.readLock());
  }

  /** Waits until no other thread holds the network, and excludes others until it is closed. */
  static Hold changing(ReentrantReadWriteLock lock) {
    if (lock.getReadHoldCount() > 0) {
      throw new IllegalStateException(
          "[weights] this thread computes with the network; change its weights afterwards, or load"
              + " them into another network");
    }
    try {
      lock.writeLock().lockInterruptibly();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CancellationException(
          "the weights were not changed: the thread was interrupted while others computed with"
              + " them");
    }
    return new Hold(lock.writeLock());
  }

  @Override
  public void close() {
    if (!closed) {
      lock.unlock();
      closed = true;
    }
  }
}
