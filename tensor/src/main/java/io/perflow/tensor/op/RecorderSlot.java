package io.perflow.tensor.op;

/** Holds the thread's recorder; apart from the interface, whose fields would all be public. */
final class RecorderSlot {
  static final ThreadLocal<Recorder> CURRENT = new ThreadLocal<>();

  private RecorderSlot() {}
}
