package io.perflow.nn;

import io.perflow.tensor.Tensor;

/**
 * A listener that is told about every layer that runs, inner layers before the layers that contain
 * them.
 */
@FunctionalInterface
public interface Observer {
  /** Receives a layer after it has run. */
  void ran(Layer layer, Tensor[] inputs, Tensor output);

  /** Runs work on this thread with an observer; observers do not nest. */
  static void during(Observer observer, Runnable work) {
    Watch.CURRENT.set(observer);
    try {
      work.run();
    } finally {
      Watch.CURRENT.remove();
    }
  }

  /** The holder of each thread's observer. */
  final class Watch {
    private static final ThreadLocal<Observer> CURRENT = new ThreadLocal<>();

    private Watch() {}

    static boolean isWatched() {
      return CURRENT.get() != null;
    }

    static void tell(Layer layer, Tensor[] inputs, Tensor output) {
      Observer observer = CURRENT.get();
      if (observer != null) {
        observer.ran(layer, inputs, output);
      }
    }
  }
}
