package io.perflow.cli.reproduce;

import io.perflow.tensor.io.Json;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;

/** The names of configurations: configurations with the same key have the same result. */
final class Key {
  private Key() {}

  /** Returns ten digits of a configuration's SHA-256. */
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
