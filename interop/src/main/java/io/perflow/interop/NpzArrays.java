package io.perflow.interop;

import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.Npz;
import java.io.IOException;
import java.util.Set;

/** Arrays of an npz archive. */
record NpzArrays(Npz archive) implements ForeignArrays {
  @Override
  public Set<String> names() {
    return archive.names();
  }

  @Override
  public int[] shape(String name) throws IOException {
    return archive.shape(name).toArray();
  }

  @Override
  public Tensor load(String name, int samples) throws IOException {
    return archive.load(name).slice(0, 0, samples);
  }

  @Override
  public void close() throws IOException {
    archive.close();
  }
}
