package io.perflow.tensor.op;

import io.perflow.tensor.Tensor;

/**
 * A listener that is told about every operation that a thread runs; the tape of {@code autograd} is
 * one. The arrays belong to the recorder.
 */
@FunctionalInterface
public interface Recorder {
  /** Receives an operation after it has computed {@code outputs} from {@code inputs}. */
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
