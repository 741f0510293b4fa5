package io.perflow.tensor.op;

/**
 * The holder of the thread's recorder, a class of its own because all fields of an interface are
 * public.
 */
final class RecorderSlot {
  static final ThreadLocal<Recorder> CURRENT = new ThreadLocal<>();

  private RecorderSlot() {}
}
