package io.perflow.flow.log;

import io.perflow.tensor.disk.DiskFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * A file of TFRecords: for each record its length (8 bytes), the masked checksum of the length (4),
 * the bytes, the masked checksum of the bytes (4); little-endian.
 *
 * <p>The mask rotates a CRC-32C by 15 bits and adds a constant, so that a checksum of data that
 * contain checksums stays meaningful.
 */
final class RecordFile implements Closeable {
  private static final int MASK_DELTA = 0xa282ead8;

  private final DiskFile file;
  private long end;

  /** Creates a file, which must not exist. */
  RecordFile(Path file) throws IOException {
    this.file = DiskFile.create(file, file);
  }

  /** Appends a record in one write. */
  void append(byte[] record) throws IOException {
    byte[] frame = frame(record);
    file.write(end, frame);
    end += frame.length;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }

  static byte[] frame(byte[] record) {
    ByteBuffer frame = ByteBuffer.allocate(record.length + 16).order(ByteOrder.LITTLE_ENDIAN);
    frame.putLong(record.length);
    frame.putInt(maskedChecksum(frame.array(), 8));
    frame.put(record);
    frame.putInt(maskedChecksum(record, record.length));
    return frame.array();
  }

  private static int maskedChecksum(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return Integer.rotateRight((int) crc.getValue(), 15) + MASK_DELTA;
  }
}
