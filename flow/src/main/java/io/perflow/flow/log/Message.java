package io.perflow.flow.log;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * A protocol-buffer message in the making: fields in the wire format, in the order they are added.
 *
 * <p>A field is its key, number · 8 + wire type, as a varint, and a value: a varint (type 0), eight
 * bytes (1), a length and so many bytes (2), or four bytes (5), little-endian.
 */
final class Message {
  private static final int VARINT = 0;
  private static final int FIXED64 = 1;
  private static final int BYTES = 2;
  private static final int FIXED32 = 5;

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  Message integer(int field, long value) {
    key(field, VARINT);
    varint(value);
    return this;
  }

  Message number(int field, double value) {
    key(field, FIXED64);
    return raw(fixed(8).putDouble(value).array());
  }

  Message number(int field, float value) {
    key(field, FIXED32);
    return raw(fixed(4).putFloat(value).array());
  }

  Message text(int field, String value) {
    return bytes(field, value.getBytes(StandardCharsets.UTF_8));
  }

  Message message(int field, Message value) {
    return bytes(field, value.toBytes());
  }

  Message bytes(int field, byte[] value) {
    key(field, BYTES);
    varint(value.length);
    return raw(value);
  }

  byte[] toBytes() {
    return bytes.toByteArray();
  }

  private Message raw(byte[] value) {
    bytes.writeBytes(value);
    return this;
  }

  private void key(int field, int wireType) {
    varint((long) field << 3 | wireType);
  }

  // Seven bits at a time, least first, the eighth bit saying that more follow.
  private void varint(long value) {
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      bytes.write((int) (rest & 0x7F | 0x80));
      rest >>>= 7;
    }
    bytes.write((int) rest);
  }

  private static ByteBuffer fixed(int size) {
    return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
  }
}
