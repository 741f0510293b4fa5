package io.perflow.flow.log;

import java.io.Closeable;
import java.io.IOException;
import java.util.Map;

/**
 * A log of numbers by step and name. Each row is handed to the operating system before the call
 * returns.
 */
public interface ScalarLog extends Closeable {
  /** Adds the numbers of a step; NaN and infinities are kept as such. */
  void write(long step, Map<String, Double> values) throws IOException;
}
