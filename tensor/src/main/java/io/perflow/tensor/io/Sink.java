package io.perflow.tensor.io;

import java.io.IOException;
import java.io.OutputStream;

/** Takes bytes that count once they are committed: a file, or an entry of an archive. */
interface Sink extends AutoCloseable {
  /** Where the bytes go. */
  OutputStream stream();

  /** Completes it. */
  void commit() throws IOException;

  /** Discards it, unless it is committed. */
  @Override
  void close() throws IOException;
}
