package io.perflow.interop;

import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.Npz;
import java.io.IOException;
import java.nio.file.Path;

/** The arrays of an npz archive. */
final class NpzArrays implements ForeignArrays {
  private final Npz archive;
  private final Contents contents;

  // An entry of an archive is read from its start, so the last one is kept for the next part.
  private String lastName;
  private Tensor last;

  private NpzArrays(Npz archive, Contents contents) throws IOException {
    this.archive = archive;
    this.contents = contents;
    for (String name : archive.names()) {
      NpyArrays.list(contents, name, archive.describe(name));
    }
  }

  static NpzArrays open(Path file) throws IOException {
    Npz archive = Npz.read(file);
    try {
      return new NpzArrays(archive, new Contents(file));
    } catch (IOException e) {
      archive.close();
      throw e;
    }
  }

  @Override
  public Contents contents() {
    return contents;
  }

  @Override
  public Tensor load(String name, int first, int count) throws IOException {
    if (!name.equals(lastName)) {
      last = archive.load(name);
      lastName = name;
    }
    return last.rank() == 0 ? last : last.slice(0, first, first + count);
  }

  @Override
  public void close() throws IOException {
    last = null;
    archive.close();
  }
}
