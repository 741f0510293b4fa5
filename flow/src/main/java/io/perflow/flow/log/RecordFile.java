package io.perflow.flow.log;

import io.perflow.tensor.disk.DiskFile;
import io.perflow.tensor.io.FileFormatException;
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
  private static final int HEAD = 12; // the length and its checksum
  private static final int SUM = 4;
  private static final int MOST = 1 << 30; // the largest number of bytes in a record
  private static final int MASK_DELTA = 0xa282ead8;

  private final DiskFile file;
  private long end;

  /** Creates a file, which must not exist yet. */
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

  /**
   * Verifies all checksums of a file. A last record that a killed process has cut short does not
   * count.
   *
   * @return the number of records
   * @throws FileFormatException when a record is damaged
   */
  static int verify(Path path) throws IOException {
    try (DiskFile file = DiskFile.reading(path)) {
      int count = 0;
      for (long at = 0; ; count++) {
        ByteBuffer head = read(file, at, HEAD);
        if (head.remaining() < HEAD) {
          return count;
        }
        long length = head.getLong();
        boolean whole = head.getInt() == maskedChecksum(head.array(), Long.BYTES);
        if (whole && length > file.length() - at - HEAD - SUM) {
          return count;
        }
        boolean possible = whole && length >= 0 && length <= MOST;
        if (!possible || !matches(read(file, at + HEAD, (int) length + SUM))) {
          throw new FileFormatException(
              path.toString(), null, "record %d is damaged: a checksum differs".formatted(count));
        }
        at += HEAD + length + SUM;
      }
    }
  }

  private static boolean matches(ByteBuffer record) {
    int length = record.remaining() - SUM;
    return record.getInt(length) == maskedChecksum(record.array(), length);
  }

  // Returns fewer bytes at the end of the file.
  private static ByteBuffer read(DiskFile file, long at, int count) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(count).order(ByteOrder.LITTLE_ENDIAN);
    return bytes.limit(file.read(at, bytes.array()));
  }

  static byte[] frame(byte[] record) {
    ByteBuffer frame =
        ByteBuffer.allocate(HEAD + record.length + SUM).order(ByteOrder.LITTLE_ENDIAN);
    frame.putLong(record.length);
    frame.putInt(maskedChecksum(frame.array(), Long.BYTES));
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
