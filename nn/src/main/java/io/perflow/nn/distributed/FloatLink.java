package io.perflow.nn.distributed;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** A link that exchanges numbers between ranks, in pieces that pass through small buffers. */
final class FloatLink {
  private static final int PIECE = 1 << 16; // numbers: 256 KB as they are, which stay in the cache

  private final Transport transport;
  private final Wire wire;
  private ByteBuffer out = buffer(0);
  private ByteBuffer in = buffer(0);
  private float[] terms = new float[0]; // numbers of a partial sum

  FloatLink(Transport transport, Wire wire) {
    this.transport = transport;
    this.wire = wire;
  }

  private static ByteBuffer buffer(int bytes) {
    return ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  int rank() {
    return transport.rank();
  }

  int size() {
    return transport.size();
  }

  Wire wire() {
    return wire;
  }

  /** A part of a vector. */
  record Part(float[] values, int from, int to) {
    static final Part NONE = new Part(new float[0], 0, 0);

    int length() {
      return to - from;
    }
  }

  /**
   * Sends numbers to one rank while it receives others from another; {@link Transport#NOBODY}
   * stands for none.
   */
  void swap(int to, Part sent, int from, Part got) {
    swap(to, sent, from, got, false);
  }

  /** Exchanges numbers as {@link #swap} does, and adds what it receives. */
  void swapAdding(int to, Part sent, int from, Part sums) {
    swap(to, sent, from, sums, true);
  }

  private void swap(int to, Part sent, int from, Part got, boolean adding) {
    int outLeft = to == Transport.NOBODY ? 0 : sent.length();
    int inLeft = from == Transport.NOBODY ? 0 : got.length();
    grow(Math.min(PIECE, Math.max(outLeft, inLeft)) * wire.bytes());
    for (int at = 0; at < Math.max(outLeft, inLeft); at += PIECE) {
      int outNow = Math.clamp(outLeft - at, 0, PIECE);
      int inNow = Math.clamp(inLeft - at, 0, PIECE);
      out.clear().limit(outNow * wire.bytes());
      in.clear().limit(inNow * wire.bytes());
      if (outNow > 0) {
        wire.write(sent.values, sent.from + at, sent.from + at + outNow, out);
      }
      transport.exchange(
          outNow > 0 ? to : Transport.NOBODY, out, inNow > 0 ? from : Transport.NOBODY, in);
      if (inNow > 0) {
        in.flip();
        take(got.values, got.from + at, inNow, adding);
      }
    }
  }

  private void take(float[] values, int from, int count, boolean adding) {
    if (adding) {
      wire.read(in, terms, 0, count);
      OrderedSum.add(values, terms, from, from + count);
    } else {
      wire.read(in, values, from, from + count);
    }
  }

  private void grow(int bytes) {
    if (out.capacity() < bytes) {
      out = buffer(bytes);
      in = buffer(bytes);
      terms = new float[bytes / wire.bytes()];
    }
  }
}
