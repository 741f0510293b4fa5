package io.perflow.tensor.io;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A builder of a protocol-buffer message: fields in the wire format, in the order in which they are
 * added.
 *
 * <p>A field is its key, number · 8 + wire type, as a varint, and a value: a varint (type 0), eight
 * bytes (1), a length and that number of bytes (2), or four bytes (5), little-endian.
 *
 * <p>A message inside another is not copied, and large contents are fetched only when they are
 * written, so that a file of weights takes no second copy of them in memory.
 */
public final class ProtoMessage {
  private static final int VARINT = 0;
  private static final int FIXED64 = 1;
  private static final int BYTES = 2;
  private static final int FIXED32 = 5;

  private final List<AtomicFile.Contents> parts = new ArrayList<>();
  private ByteArrayOutputStream open = new ByteArrayOutputStream(); // bytes added after the parts
  private long closed; // bytes in the parts

  /** Creates an empty message. */
  public ProtoMessage() {}

  /** Adds an integer, a flag or a constant of an enumeration. */
  public ProtoMessage integer(int field, long value) {
    key(field, VARINT);
    varint(value);
    return this;
  }

  /** Adds a double. */
  public ProtoMessage number(int field, double value) {
    key(field, FIXED64);
    return raw(fixed(8).putDouble(value).array());
  }

  /** Adds a float. */
  public ProtoMessage number(int field, float value) {
    key(field, FIXED32);
    return raw(fixed(4).putFloat(value).array());
  }

  /** Adds a text. */
  public ProtoMessage text(int field, String value) {
    return bytes(field, value.getBytes(StandardCharsets.UTF_8));
  }

  /** Adds a message, which must not be changed afterwards. */
  public ProtoMessage message(int field, ProtoMessage value) {
    return bytes(field, value.size(), value::writeTo);
  }

  /** Adds bytes. */
  public ProtoMessage bytes(int field, byte[] value) {
    key(field, BYTES);
    varint(value.length);
    return raw(value);
  }

  /**
   * Adds bytes that are made when the message is written.
   *
   * @param size how many bytes {@code value} will write
   */
  public ProtoMessage bytes(int field, long size, AtomicFile.Contents value) {
    key(field, BYTES);
    varint(size);
    ByteArrayOutputStream before = open;
    parts.add(before::writeTo);
    parts.add(value);
    closed += before.size() + size;
    open = new ByteArrayOutputStream();
    return this;
  }

  /** Returns the length in bytes. */
  public long size() {
    return closed + open.size();
  }

  /** Writes the message to a stream. */
  public void writeTo(OutputStream out) throws IOException {
    for (AtomicFile.Contents part : parts) {
      part.writeTo(out);
    }
    open.writeTo(out);
  }

  /** Returns the message as bytes, for small ones. */
  public byte[] toBytes() {
    ByteArrayOutputStream all = new ByteArrayOutputStream(Math.toIntExact(size()));
    try {
      writeTo(all);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // a stream in memory does not fail
    }
    return all.toByteArray();
  }

  private ProtoMessage raw(byte[] value) {
    open.writeBytes(value);
    return this;
  }

  private void key(int field, int wireType) {
    varint((long) field << 3 | wireType);
  }

  // Seven bits at a time, the lowest first; the eighth bit says that more follow.
  private void varint(long value) {
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      open.write((int) (rest & 0x7F | 0x80));
      rest >>>= 7;
    }
    open.write((int) rest);
  }

  private static ByteBuffer fixed(int size) {
    return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
  }
}
