package io.perflow.physics;

import io.perflow.tensor.Check;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.disk.Disk;
import io.perflow.tensor.disk.DiskFile;
import io.perflow.tensor.disk.Owner;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Json;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.CRC32;

/**
 * A file of finished samples of a data set that is not complete yet, in the order in which they
 * were finished.
 *
 * <p>The file begins with the process that has it locked and a text that identifies the samples; a
 * run that needs other samples is refused. Records follow: index and checksum, four bytes each, and
 * the numbers, all little endian. A process can be killed at any moment, so a record that is cut
 * short or does not match its checksum ends the file: it and what follows are dropped when the file
 * is opened again.
 *
 * <p>Several threads may append and read; one process may have the file open.
 */
final class PartFile implements AutoCloseable {
  private static final byte[] MAGIC = "perflow samples 2\n".getBytes(StandardCharsets.US_ASCII);
  private static final int MAX_IDENTITY = 1 << 20;
  private static final int RECORD_HEAD = 2 * Integer.BYTES;
  private static final int IDENTITY = MAGIC.length + Owner.BYTES; // where its length stands

  private final Path path;
  private final DiskFile file;
  private final int size; // numbers in a sample
  private final DataType type;
  private final Map<Integer, Long> positions = new ConcurrentHashMap<>(); // bytes of the numbers
  private long end;
  private boolean discarded;

  private PartFile(Path path, DiskFile file, int size, DataType type) {
    this.path = path;
    this.file = file;
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
    DiskFile file = DiskFile.open(path);
    PartFile part = new PartFile(path, file, size, type);
    try {
      if (!file.lock()) {
        throw Owner.inUse(path, Owner.in(file, MAGIC.length), "file");
      }
      byte[] head = head(identity);
      part.checkHead(head, identity);
      file.write(0, head); // written again, in case it was cut short
      part.scan(head.length);
      file.truncate(part.end);
      return part;
    } catch (IOException | RuntimeException e) {
      file.close();
      throw e;
    }
  }

  private static byte[] head(String identity) throws IOException {
    byte[] text = identity.getBytes(StandardCharsets.UTF_8);
    if (text.length > MAX_IDENTITY) {
      throw new IOException("the parameters take %d bytes, too many".formatted(text.length));
    }
    return little(IDENTITY + Integer.BYTES + text.length)
        .put(MAGIC)
        .put(Owner.me())
        .putInt(text.length)
        .put(text)
        .array();
  }

  // A file that was just created, or whose head was cut short, has less to compare.
  private void checkHead(byte[] head, String identity) throws IOException {
    byte[] found = read(0, head.length);
    requireMagic(path, found);
    int length = Math.min(found.length, head.length);
    if (length > IDENTITY && !Arrays.equals(head, IDENTITY, length, found, IDENTITY, length)) {
      throw new IOException(
          "%s holds samples of other settings than %s; delete it, or choose another file"
              .formatted(path, identity));
    }
  }

  private static void requireMagic(Path path, byte[] head) throws FileFormatException {
    int length = Math.min(MAGIC.length, head.length);
    if (!Arrays.equals(MAGIC, 0, length, head, 0, length)) {
      throw new FileFormatException(
          path.toString(), null, "is not a file of finished samples, or one of another version");
    }
  }

  private void scan(long start) throws IOException {
    long length = file.length();
    for (end = start; length - end >= recordBytes(); end += recordBytes()) {
      ByteBuffer record = ByteBuffer.wrap(read(end, recordBytes())).order(ByteOrder.LITTLE_ENDIAN);
      int index = record.getInt(0);
      if (index < 0 || record.getInt(Integer.BYTES) != checksum(record)) {
        break;
      }
      positions.put(index, end + RECORD_HEAD);
    }
  }

  /**
   * Describes the contents of a file in words, without changing it.
   *
   * @throws FileFormatException when it is not such a file, or damaged before its first sample
   */
  static String describe(Path path) throws IOException {
    try (DiskFile file = DiskFile.reading(path)) {
      byte[] head = new byte[IDENTITY + Integer.BYTES];
      int got = file.read(0, head);
      requireMagic(path, Arrays.copyOf(head, got));
      int length = ByteBuffer.wrap(head).order(ByteOrder.LITTLE_ENDIAN).getInt(IDENTITY);
      if (length < 0 || length > MAX_IDENTITY) {
        throw new FileFormatException(path.toString(), null, "its head is damaged");
      }
      if (got < head.length || length > file.length() - head.length) {
        return "no finished sample yet"; // its writer was killed or is still working
      }
      byte[] text = new byte[length];
      file.read(head.length, text);
      Map<String, Object> identity =
          Json.object(
              Json.parse(new String(text, StandardCharsets.UTF_8), path.toString()), "samples");
      PartFile part = described(path, file, identity);
      part.scan((long) head.length + length);
      long rest = file.length() - part.end;
      return "%d finished samples of %s, %s, seed %s%s"
          .formatted(
              part.positions.size(),
              identity.get("problem"),
              identity.get("split"),
              identity.get("seed"),
              rest == 0 ? "" : ", and %d bytes that will be made again".formatted(rest));
    }
  }

  private static PartFile described(Path path, DiskFile file, Map<String, Object> identity)
      throws FileFormatException {
    try {
      return new PartFile(path, file, size(identity), type(identity));
    } catch (FileFormatException | IllegalArgumentException e) { // which know fields and no file
      throw new FileFormatException(path.toString(), null, e.getMessage(), e);
    }
  }

  private static int size(Map<String, Object> identity) throws FileFormatException {
    long size = 1;
    for (Object extent : Json.list(identity.get("shape"), "shape")) {
      size *= Json.integer(extent, "shape", 1, Integer.MAX_VALUE);
      Check.that(size <= Integer.MAX_VALUE / Double.BYTES, "part", "%d numbers a sample", size);
    }
    return (int) size;
  }

  private static DataType type(Map<String, Object> identity) throws FileFormatException {
    String name = Json.text(identity.get("type"), "type");
    for (DataType type : DataType.values()) {
      if (type.name().equals(name)) {
        return type;
      }
    }
    throw new FileFormatException("json", null, "'%s' is not a type".formatted(name));
  }

  private int recordBytes() {
    return RECORD_HEAD + size * type.bytes();
  }

  // The checksum of the index and the numbers.
  private static int checksum(ByteBuffer record) {
    CRC32 sum = new CRC32();
    sum.update(record.slice(0, Integer.BYTES));
    sum.update(record.slice(RECORD_HEAD, record.capacity() - RECORD_HEAD));
    return (int) sum.getValue();
  }

  private static ByteBuffer little(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  // Returns fewer bytes at the end of the file.
  private byte[] read(long at, int count) throws IOException {
    byte[] bytes = new byte[count];
    return Arrays.copyOf(bytes, file.read(at, bytes));
  }

  boolean contains(int index) {
    return positions.containsKey(index);
  }

  /** Returns how many of the samples 0 … limit - 1 are in the file. */
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
    record.putInt(Integer.BYTES, checksum(record.flip()));
    synchronized (this) {
      file.write(end, record.array());
      positions.put(index, end + RECORD_HEAD);
      end += recordBytes(); // only now, so that what a failed write has left is overwritten
    }
  }

  /** Returns the numbers of a sample, as they were rounded. */
  Tensor read(int index) throws IOException {
    long at = positions.get(index);
    byte[] found = read(at, size * type.bytes());
    if (found.length < size * type.bytes()) {
      throw new FileFormatException(path.toString(), null, "ends at " + (at + found.length));
    }
    ByteBuffer bytes = ByteBuffer.wrap(found).order(ByteOrder.LITTLE_ENDIAN);
    if (type == DataType.F32) {
      float[] numbers = new float[size];
      bytes.asFloatBuffer().get(numbers);
      return Tensor.of(numbers, size);
    }
    double[] numbers = new double[size];
    bytes.asDoubleBuffer().get(numbers);
    return Tensor.of(numbers, size);
  }

  /** Makes {@link #close} remove the file, because its samples are now stored elsewhere. */
  void discard() {
    discarded = true;
  }

  /** Closes the file and removes it if it is discarded or holds no sample. */
  @Override
  public void close() throws IOException {
    file.close();
    if (discarded || positions.isEmpty()) {
      Disk.current().delete(path);
    }
  }
}
