package io.perflow.cli.reproduce;

import io.perflow.tensor.io.Json;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;

/** Names for configurations: what has the same key has the same result. */
final class Key {
  private Key() {}

  /** Ten digits of a configuration's SHA-256. */
  static String of(Map<String, Object> configuration) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      byte[] hash = digest.digest(Json.write(configuration).getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash, 0, 5);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
