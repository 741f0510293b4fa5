package io.perflow.tensor.op;

import io.perflow.tensor.Tensor;

/**
 * Is notified of every operation that a thread runs; the tape of {@code autograd} is a recorder.
 * The arrays belong to the recorder.
 */
@FunctionalInterface
public interface Recorder {
  /** Called after {@code op} computed {@code outputs} from {@code inputs}. */
  void record(Op op, Tensor[] inputs, Tensor[] outputs);

  /** Returns the recorder of this thread, or null. */
  static Recorder current() {
    return RecorderSlot.CURRENT.get();
  }

  /** Installs a recorder for this thread (null for none) and returns the one it replaces. */
  static Recorder install(Recorder recorder) {
    Recorder before = RecorderSlot.CURRENT.get();
    RecorderSlot.CURRENT.set(recorder);
    return before;
  }
}
