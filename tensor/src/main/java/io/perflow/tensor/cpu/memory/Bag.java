package io.perflow.tensor.cpu.memory;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Things to be used again, the last one first. No thread waits for another, and nothing is
 * allocated: kernels take and give some ten thousand arrays in a step of a network.
 */
public final class Bag<T> {
  private static final int SLOTS = 1 << 10;

  private final AtomicReferenceArray<T> slots = new AtomicReferenceArray<>(SLOTS);

  /** About where the next thing goes; threads that meet here only have to look further. */
  private volatile int top;

  /** Takes something out, or null when there is nothing. */
  public T take() {
    int from = top - 1;
    for (int i = 0; i < SLOTS; i++) {
      int slot = from - i & SLOTS - 1;
      T thing = slots.get(slot);
      if (thing != null && slots.compareAndSet(slot, thing, null)) {
        top = slot;
        return thing;
      }
    }
    return null;
  }

  /** Puts something in; false when there is no room. */
  public boolean put(T thing) {
    int from = top;
    for (int i = 0; i < SLOTS; i++) {
      int slot = from + i & SLOTS - 1;
      if (slots.get(slot) == null && slots.compareAndSet(slot, null, thing)) {
        top = slot + 1;
        return true;
      }
    }
    return false;
  }
}
