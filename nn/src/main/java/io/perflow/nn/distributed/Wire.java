package io.perflow.nn.distributed;

import java.nio.ByteBuffer;

/**
 * The formats in which numbers travel between ranks; sums are formed in single precision in any
 * case.
 */
public enum Wire {
  /** Sends numbers unrounded. */
  F32(Float.BYTES) {
    @Override
    void write(float[] values, int from, int to, ByteBuffer out) {
      out.asFloatBuffer().put(values, from, to - from);
    }

    @Override
    void read(ByteBuffer in, float[] values, int from, int to) {
      in.asFloatBuffer().get(values, from, to - from);
    }

    @Override
    void round(float[] values, int from, int to) {}
  },

  /**
   * Rounds numbers to their upper 16 bits: half the traffic, and eight bits of precision for every
   * number that travels.
   */
  BF16(Short.BYTES) {
    @Override
    void write(float[] values, int from, int to, ByteBuffer out) {
      for (int i = from; i < to; i++) {
        out.putShort((i - from) * Short.BYTES, upper(values[i]));
      }
    }

    @Override
    void read(ByteBuffer in, float[] values, int from, int to) {
      for (int i = from; i < to; i++) {
        values[i] = Float.intBitsToFloat(in.getShort((i - from) * Short.BYTES) << Short.SIZE);
      }
    }

    @Override
    void round(float[] values, int from, int to) {
      for (int i = from; i < to; i++) {
        values[i] = Float.intBitsToFloat(upper(values[i]) << Short.SIZE);
      }
    }
  };

  private final int bytes;

  Wire(int bytes) {
    this.bytes = bytes;
  }

  /** Returns the bytes of one number. */
  public int bytes() {
    return bytes;
  }

  /** Writes numbers from the start of a buffer, whose position stays. */
  abstract void write(float[] values, int from, int to, ByteBuffer out);

  /** Reads numbers from the start of a buffer. */
  abstract void read(ByteBuffer in, float[] values, int from, int to);

  /** Rounds numbers to those that would arrive. */
  abstract void round(float[] values, int from, int to);

  // Rounds to the nearest, ties to even; a NaN stays one.
  private static short upper(float value) {
    int bits = Float.floatToRawIntBits(value);
    if (Float.isNaN(value)) {
      return (short) (bits >>> Short.SIZE | 0x40);
    }
    return (short) (bits + 0x7fff + (bits >>> Short.SIZE & 1) >>> Short.SIZE);
  }
}
