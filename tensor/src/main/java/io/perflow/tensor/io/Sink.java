package io.perflow.tensor.io;

import java.io.IOException;
import java.io.OutputStream;

/** A file or an entry of an archive, which takes effect when it is committed. */
interface Sink extends AutoCloseable {
  /** Returns the stream for the bytes. */
  OutputStream stream();

  /** Completes the file or entry. */
  void commit() throws IOException;

  /** Discards the file or entry unless it was committed. */
  @Override
  void close() throws IOException;
}
