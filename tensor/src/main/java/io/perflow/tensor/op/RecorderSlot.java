package io.perflow.tensor.op;

/**
 * Holds the thread's recorder; a class of its own, since all fields of the interface would be
 * public.
 */
final class RecorderSlot {
  static final ThreadLocal<Recorder> CURRENT = new ThreadLocal<>();

  private RecorderSlot() {}
}
