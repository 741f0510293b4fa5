package io.perflow.nn.distributed;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A secret that the ranks of one gang share. They prove to each other that they have it without
 * sending it.
 */
public final class Token {
  /** The number of bytes in a secret and in a nonce. */
  static final int LENGTH = 16;

  /** The number of bytes in a proof. */
  static final int PROOF = 32;

  private static final SecureRandom RANDOM = new SecureRandom();

  private final byte[] secret;

  private Token(byte[] secret) {
    this.secret = secret;
  }

  /** Returns a new one. */
  public static Token random() {
    return new Token(nonce());
  }

  /** Returns the token that {@link #text} gave. */
  public static Token parse(String text) {
    return new Token(HexFormat.of().parseHex(text));
  }

  /** Returns the token as text, for a rendezvous that others cannot overhear. */
  public String text() {
    return HexFormat.of().formatHex(secret);
  }

  static byte[] nonce() {
    byte[] bytes = new byte[LENGTH];
    RANDOM.nextBytes(bytes);
    return bytes;
  }

  /**
   * Returns a proof that only a holder of the token can compute, over the speaker, the ranks and
   * both nonces.
   */
  byte[] proof(String role, int caller, int called, int kind, byte[] challenge, byte[] answer) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret, "HmacSHA256"));
      mac.update(role.getBytes(StandardCharsets.US_ASCII));
      mac.update(
          ByteBuffer.allocate(3 * Integer.BYTES)
              .putInt(caller)
              .putInt(called)
              .putInt(kind)
              .array());
      mac.update(challenge);
      return mac.doFinal(answer);
    } catch (GeneralSecurityException e) { // every Java platform has this algorithm
      throw new IllegalStateException(e);
    }
  }

  static boolean same(byte[] one, byte[] other) {
    return MessageDigest.isEqual(one, other);
  }
}
