package io.perflow.nn.distributed;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Swaps numbers between ranks, in pieces that pass through two buffers. */
final class FloatLink {
  private static final int PIECE = 1 << 18; // numbers: 1 MB as they are

  private final Transport transport;
  private final Wire wire;
  private ByteBuffer out = buffer(0);
  private ByteBuffer in = buffer(0);

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

  /** Sends numbers to one rank while it receives others; {@link Transport#NOBODY} for neither. */
  void swap(
      int to,
      float[] sent,
      int sentFrom,
      int sentTo,
      int from,
      float[] got,
      int gotFrom,
      int gotTo) {
    int outLeft = to == Transport.NOBODY ? 0 : sentTo - sentFrom;
    int inLeft = from == Transport.NOBODY ? 0 : gotTo - gotFrom;
    grow(Math.min(PIECE, Math.max(outLeft, inLeft)) * wire.bytes());
    for (int at = 0; at < Math.max(outLeft, inLeft); at += PIECE) {
      int outNow = Math.clamp(outLeft - at, 0, PIECE);
      int inNow = Math.clamp(inLeft - at, 0, PIECE);
      out.clear().limit(outNow * wire.bytes());
      in.clear().limit(inNow * wire.bytes());
      if (outNow > 0) {
        wire.write(sent, sentFrom + at, sentFrom + at + outNow, out);
      }
      transport.exchange(
          outNow > 0 ? to : Transport.NOBODY, out, inNow > 0 ? from : Transport.NOBODY, in);
      if (inNow > 0) {
        in.flip();
        wire.read(in, got, gotFrom + at, gotFrom + at + inNow);
      }
    }
  }

  private void grow(int bytes) {
    if (out.capacity() < bytes) {
      out = buffer(bytes);
      in = buffer(bytes);
    }
  }
}
