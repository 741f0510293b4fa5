package io.perflow.physics;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.CRC32;

/**
 * Finished samples of a file that is not complete yet, in the order in which they were finished.
 *
 * <p>The file begins with a text that identifies the samples; a run that needs other samples is
 * refused. Records follow: index and checksum, four bytes each, and the numbers, all little endian.
 * A process can be killed at any moment, so a record that is cut short or does not match its
 * checksum ends the file: it and what follows are dropped when the file is opened again.
 *
 * <p>Several threads may append and read; one process may have the file open.
 */
final class PartFile implements AutoCloseable {
  private static final byte[] MAGIC = "perflow samples\n".getBytes(StandardCharsets.US_ASCII);
  private static final int MAX_IDENTITY = 1 << 20;
  private static final int RECORD_HEAD = 2 * Integer.BYTES;

  private final Path path;
  private final FileChannel channel;
  private final int size; // numbers of a sample
  private final DataType type;
  private final Map<Integer, Long> positions = new ConcurrentHashMap<>(); // of the numbers
  private long end;
  private boolean discarded;

  private PartFile(Path path, FileChannel channel, int size, DataType type) {
    this.path = path;
    this.channel = channel;
    this.size = size;
    this.type = type;
  }

  /**
   * Opens or creates the file.
   *
   * @param identity everything that the samples depend on, on one line
   * @throws IOException when it holds other samples or another process uses it
   */
  static PartFile open(Path path, String identity, int size, DataType type) throws IOException {
    FileChannel channel = openChannel(path);
    PartFile part = new PartFile(path, channel, size, type);
    try {
      part.lock();
      byte[] head = head(identity);
      part.checkHead(head, identity);
      part.write(ByteBuffer.wrap(head)); // anew, in case it was cut short
      part.scan();
      return part;
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  private static FileChannel openChannel(Path path) throws IOException {
    Path directory = path.toAbsolutePath().getParent();
    if (!Files.isDirectory(directory)) {
      throw new IOException(
          "cannot write %s: the directory %s does not exist; create it first"
              .formatted(path, directory));
    }
    return FileChannel.open(
        path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
  }

  // The lock goes with the channel.
  private void lock() throws IOException {
    FileLock lock;
    try {
      lock = channel.tryLock();
    } catch (OverlappingFileLockException e) {
      lock = null;
    }
    if (lock == null) {
      throw new IOException(path + " is in use: another run is making this file");
    }
  }

  private static byte[] head(String identity) throws IOException {
    byte[] text = identity.getBytes(StandardCharsets.UTF_8);
    if (text.length > MAX_IDENTITY) {
      throw new IOException("the parameters take %d bytes, too many".formatted(text.length));
    }
    return little(MAGIC.length + Integer.BYTES + text.length)
        .put(MAGIC)
        .putInt(text.length)
        .put(text)
        .array();
  }

  private void checkHead(byte[] head, String identity) throws IOException {
    ByteBuffer found = little((int) Math.min(head.length, channel.size()));
    readFully(found, 0);
    if (ByteBuffer.wrap(head, 0, found.limit()).equals(found)) {
      return;
    }
    int magic = Math.min(MAGIC.length, found.limit());
    if (!found.slice(0, magic).equals(ByteBuffer.wrap(MAGIC, 0, magic))) {
      throw new FileFormatException(path.toString(), null, "is no file of finished samples");
    }
    throw new IOException(
        "%s holds samples of other settings than %s; delete it, or choose another file"
            .formatted(path, identity));
  }

  private void scan() throws IOException {
    ByteBuffer record = little(recordBytes());
    long length = channel.size();
    while (length - end >= recordBytes()) {
      readFully(record.clear(), end);
      int index = record.getInt(0);
      if (index < 0 || record.getInt(Integer.BYTES) != checksum(record)) {
        break;
      }
      positions.put(index, end + RECORD_HEAD);
      end += recordBytes();
    }
    channel.truncate(end);
  }

  private int recordBytes() {
    return RECORD_HEAD + size * type.bytes();
  }

  // Of the index and the numbers.
  private static int checksum(ByteBuffer record) {
    CRC32 sum = new CRC32();
    sum.update(record.slice(0, Integer.BYTES));
    sum.update(record.slice(RECORD_HEAD, record.capacity() - RECORD_HEAD));
    return (int) sum.getValue();
  }

  private static ByteBuffer little(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private void readFully(ByteBuffer buffer, long position) throws IOException {
    long at = position;
    while (buffer.hasRemaining()) {
      int got = channel.read(buffer, at);
      if (got < 0) {
        throw new FileFormatException(path.toString(), null, "ends at " + at);
      }
      at += got;
    }
    buffer.flip();
  }

  private void write(ByteBuffer buffer) throws IOException {
    long at = end;
    while (buffer.hasRemaining()) {
      at += channel.write(buffer, at);
    }
    end = at; // only now: what a failed write has left is written over
  }

  boolean contains(int index) {
    return positions.containsKey(index);
  }

  /** How many of the samples 0 … limit - 1 are in the file. */
  int countBelow(int limit) {
    return (int) positions.keySet().stream().filter(index -> index < limit).count();
  }

  /** Adds a sample. */
  void append(int index, double[] numbers) throws IOException {
    ByteBuffer record = little(recordBytes());
    record.position(RECORD_HEAD);
    for (double number : numbers) {
      if (type == DataType.F32) {
        record.putFloat((float) number);
      } else {
        record.putDouble(number);
      }
    }
    record.putInt(0, index);
    record.putInt(Integer.BYTES, checksum(record));
    synchronized (this) {
      long start = end;
      write(record.flip());
      positions.put(index, start + RECORD_HEAD);
    }
  }

  /** The numbers of a sample, as they were rounded. */
  Tensor read(int index) throws IOException {
    ByteBuffer bytes = little(size * type.bytes());
    readFully(bytes, positions.get(index));
    if (type == DataType.F32) {
      float[] numbers = new float[size];
      bytes.asFloatBuffer().get(numbers);
      return Tensor.of(numbers, size);
    }
    double[] numbers = new double[size];
    bytes.asDoubleBuffer().get(numbers);
    return Tensor.of(numbers, size);
  }

  /** Makes {@link #close} remove the file, since its samples are now stored elsewhere. */
  void discard() {
    discarded = true;
  }

  /** Closes the file and removes it if it is discarded or holds no sample. */
  @Override
  public void close() throws IOException {
    channel.close();
    if (discarded || positions.isEmpty()) {
      Files.deleteIfExists(path);
    }
  }
}
