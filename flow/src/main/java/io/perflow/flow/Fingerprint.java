package io.perflow.flow;

import io.perflow.tensor.Tensor;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A hash of the numbers of fields, which tells data sets apart. */
final class Fingerprint {
  private static final int CHUNK = 1 << 14;
  private static final int BYTES = 8; // digits of the hash, enough to tell all data sets apart

  private Fingerprint() {}

  /**
   * Returns a text such as {@code 38 fields, 0f3a52c1b7d94e60}, whose hash is of the numbers in
   * single precision.
   */
  static String of(Tensor fields) {
    return of(fields.dim(0), fields.toFloats());
  }

  /** Returns the same for fields in one array. */
  static String of(int count, float[] values) {
    MessageDigest digest = digest();
    ByteBuffer bytes = ByteBuffer.allocate(CHUNK * Float.BYTES);
    for (int from = 0; from < values.length; from += CHUNK) {
      int n = Math.min(CHUNK, values.length - from);
      bytes.clear().asFloatBuffer().put(values, from, n);
      digest.update(bytes.array(), 0, n * Float.BYTES);
    }
    return "%d fields, %s".formatted(count, HexFormat.of().formatHex(digest.digest(), 0, BYTES));
  }

  private static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every JDK has this algorithm
    }
  }
}
