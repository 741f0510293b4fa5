package io.perflow.cluster;

import io.perflow.nn.distributed.Collective;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.zip.CRC32;

/** Tells one build of this program from another. */
final class Build {
  private static final List<Class<?>> LOOKED_AT = List.of(Collective.class, Rank.class);
  private static final String HASH = read();

  private Build() {}

  /** The same on all machines that have the same jars. */
  static String hash() {
    return HASH;
  }

  private static String read() {
    CRC32 sum = new CRC32();
    for (Class<?> type : LOOKED_AT) {
      try (InputStream in = type.getResourceAsStream(type.getSimpleName() + ".class")) {
        sum.update(in.readAllBytes());
      } catch (IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    }
    return Long.toHexString(sum.getValue());
  }
}
