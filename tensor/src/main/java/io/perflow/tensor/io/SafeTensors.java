package io.perflow.tensor.io;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.AccessMode;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import java.util.zip.CheckedOutputStream;

/**
 * Files that hold named tensors in the safetensors format: the length of a header (8 bytes, little
 * endian), the header (JSON), and the numbers, little endian and row-major, without gaps.
 *
 * <pre>{@code
 * try (SafeTensors file = SafeTensors.read(path)) {
 *   Tensor weight = file.load("stem.weight");
 * }
 * SafeTensors.write(path, Map.of("stem.weight", weight), Map.of("step", "1000"));
 * }</pre>
 *
 * <p>The header is read and checked at once, tensors when they are loaded. F32 and F64 are loaded
 * unchanged; F16, BF16, booleans and integers of 8 and 16 bits become F32, wider integers F64
 * (rounded beyond 2^53), C64 gets a last axis (re, im). Several threads may load at once, and an
 * interrupt of one does not close the file for the others.
 *
 * <p>Files written by this library contain a checksum (CRC-32C) of their header and of every
 * tensor, which is verified when either is read. Files without checksums are read, too.
 */
public final class SafeTensors implements AutoCloseable {
  private final Location at;
  private final RandomAccessFile file; // not a channel, which an interrupt would close
  private final SafeTensorsHeader header;

  private SafeTensors(Location at, RandomAccessFile file, SafeTensorsHeader header) {
    this.at = at;
    this.file = file;
    this.header = header;
  }

  /**
   * Opens a file and checks its header against the size of the file.
   *
   * @throws FileFormatException when lengths, offsets, shapes or names do not fit together
   */
  public static SafeTensors read(Path file) throws IOException {
    Location at = Location.of(file);
    file.getFileSystem().provider().checkAccess(file, AccessMode.READ); // says what is wrong
    RandomAccessFile open = new RandomAccessFile(file.toFile(), "r");
    try {
      long length = open.length();
      InputStream in = new Section(open, 0, length);
      return new SafeTensors(at, open, SafeTensorsHeader.read(in, at, length));
    } catch (IOException e) {
      open.close();
      throw e;
    }
  }

  /** Returns the names of the tensors in the order of the header. */
  public Set<String> names() {
    return header.entries().keySet();
  }

  /**
   * Returns whether the file holds checksums; files of version 0.1 and of other programs do not.
   */
  public boolean hasChecksums() {
    return header.checksums().isPresent();
  }

  /** Returns the metadata of the file. */
  public Map<String, String> metadata() {
    return header.metadata();
  }

  /** Returns the shape of a tensor. */
  public Shape shape(String name) throws IOException {
    SafeTensorsHeader.Entry entry = entry(name);
    return at.entry(name).shape(entry.extents(), elementType(name).isComplex());
  }

  /** Returns the type a tensor will have here. */
  public DataType type(String name) throws IOException {
    return elementType(name).target();
  }

  /**
   * Reads a tensor.
   *
   * @throws FileFormatException when there is none of this name or its type is not supported
   */
  public Tensor load(String name) throws IOException {
    SafeTensorsHeader.Entry entry = entry(name);
    Layout layout = Layout.contiguous(shape(name));
    CRC32C sum = new CRC32C();
    InputStream in = new CheckedInputStream(section(entry), sum);
    Tensor tensor =
        ElementReader.read(in, at.entry(name), elementType(name), ByteOrder.LITTLE_ENDIAN, layout);
    check(name, sum);
    return tensor;
  }

  /**
   * Verifies the checksums of all tensors, also of those whose types cannot be loaded. Without
   * checksums there is nothing to verify.
   *
   * @throws FileFormatException naming the first tensor that is damaged
   */
  public void verify() throws IOException {
    byte[] buffer = new byte[1 << 16];
    for (Map.Entry<String, SafeTensorsHeader.Entry> entry : header.entries().entrySet()) {
      CRC32C sum = new CRC32C();
      InputStream in = section(entry.getValue());
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        sum.update(buffer, 0, n);
      }
      check(entry.getKey(), sum);
    }
  }

  private InputStream section(SafeTensorsHeader.Entry entry) {
    return new Section(file, header.dataStart() + entry.begin(), entry.bytes());
  }

  private void check(String name, CRC32C sum) throws FileFormatException {
    if (header.checksums().isEmpty()) {
      return;
    }
    int expected = header.checksums().get().get(name);
    int found = (int) sum.getValue();
    if (found != expected) {
      throw at.entry(name)
          .error(
              "is damaged: checksum %s, expected %s; restore the file from a copy",
              SafeTensorsHeader.hex(found), SafeTensorsHeader.hex(expected));
    }
  }

  /** Reads all tensors, in the order of the header. */
  public Map<String, Tensor> loadAll() throws IOException {
    Map<String, Tensor> all = new LinkedHashMap<>();
    for (String name : names()) {
      all.put(name, load(name));
    }
    return all;
  }

  private SafeTensorsHeader.Entry entry(String name) throws FileFormatException {
    SafeTensorsHeader.Entry entry = header.entries().get(name);
    if (entry == null) {
      throw at.error(
          "has no tensor %s, only %s",
          FileFormatException.quote(name), FileFormatException.quote(String.join(", ", names())));
    }
    return entry;
  }

  private ElementType elementType(String name) throws FileFormatException {
    String dtype = entry(name).dtype();
    return SafeTensorsHeader.elementType(dtype)
        .orElseThrow(
            () ->
                at.entry(name)
                    .error(
                        "dtype %s is not supported; convert the tensor to F32 or F64 where it was"
                            + " written",
                        FileFormatException.quote(dtype)));
  }

  @Override
  public void close() throws IOException {
    file.close();
  }

  /**
   * Writes tensors of any layout; the file is then complete, or unchanged if writing failed.
   *
   * <p>F64 tensors come first, so that every number lies at a multiple of its size, which lets
   * other readers map the file; within a type the order of the map is kept.
   *
   * @param metadata notes for readers, may be empty
   */
  public static void write(Path file, Map<String, Tensor> tensors, Map<String, String> metadata)
      throws IOException {
    write(file, tensors, metadata, false);
  }

  /**
   * Writes F32 tensors in half precision (F16), for the distribution of models: half the size and
   * about three digits, which {@link #load} returns as F32. F64 tensors are written in full.
   *
   * @throws IllegalArgumentException when a number is too large for F16, beyond 65504
   */
  public static void writeHalf(Path file, Map<String, Tensor> tensors, Map<String, String> metadata)
      throws IOException {
    write(file, tensors, metadata, true);
  }

  private static void write(
      Path path, Map<String, Tensor> tensors, Map<String, String> metadata, boolean halved)
      throws IOException {
    try (AtomicFile file = AtomicFile.create(path)) {
      int[] checksums = write(file.stream(), tensors, metadata, halved);
      file.replaceStart(header(widestFirst(tensors), metadata, halved, checksums));
      file.commit();
    }
  }

  /**
   * Writes everything with a header whose checksums are still 0, and returns the checksums of the
   * tensors.
   */
  static int[] write(
      OutputStream out, Map<String, Tensor> tensors, Map<String, String> metadata, boolean halved)
      throws IOException {
    List<Map.Entry<String, Tensor>> ordered = widestFirst(tensors);
    int[] checksums = new int[ordered.size()];
    out.write(header(ordered, metadata, halved, checksums));
    for (int i = 0; i < checksums.length; i++) {
      CRC32C sum = new CRC32C();
      OutputStream checked = new CheckedOutputStream(out, sum);
      Tensor tensor = ordered.get(i).getValue();
      if (halved && tensor.type() == DataType.F32) {
        checked.write(half(ordered.get(i).getKey(), tensor.toFloats()));
      } else {
        new ElementWriter(checked, ByteOrder.LITTLE_ENDIAN).write(tensor);
      }
      checksums[i] = (int) sum.getValue();
    }
    return checksums;
  }

  private static byte[] header(
      List<Map.Entry<String, Tensor>> ordered,
      Map<String, String> metadata,
      boolean halved,
      int[] checksums) {
    List<SafeTensorsHeader.Planned> planned =
        ordered.stream().map(t -> planned(t.getKey(), t.getValue(), halved)).toList();
    return SafeTensorsHeader.encode(planned, metadata, checksums);
  }

  private static SafeTensorsHeader.Planned planned(String name, Tensor tensor, boolean halved) {
    boolean half = halved && tensor.type() == DataType.F32;
    ElementType type = half ? ElementType.F16 : ElementType.of(tensor.type());
    return new SafeTensorsHeader.Planned(name, type, tensor.shape());
  }

  private static byte[] half(String name, float[] values) {
    ByteBuffer bytes = ByteBuffer.allocate(2 * values.length).order(ByteOrder.LITTLE_ENDIAN);
    for (float value : values) {
      short half = Float.floatToFloat16(value);
      if (Float.isFinite(value) && !Float.isFinite(Float.float16ToFloat(half))) {
        throw new IllegalArgumentException(
            "%s holds %s, too large for F16: write it in full".formatted(name, value));
      }
      bytes.putShort(half);
    }
    return bytes.array();
  }

  /**
   * Starts a file of one tensor of this type and shape, which is written in pieces.
   *
   * @param metadata notes for readers, may be empty
   */
  public static ArrayWriter writer(
      Path file, String name, DataType type, Shape shape, Map<String, String> metadata)
      throws IOException {
    List<SafeTensorsHeader.Planned> planned =
        List.of(new SafeTensorsHeader.Planned(name, ElementType.of(type), shape));
    byte[] header = SafeTensorsHeader.encode(planned, metadata, new int[1]);
    AtomicFile target = AtomicFile.create(file);
    CRC32C sum = new CRC32C();
    // The checksum is known only after the last piece, and the header precedes the first.
    Sink sink =
        new Sink() {
          private final OutputStream out = new CheckedOutputStream(target.stream(), sum);

          @Override
          public OutputStream stream() {
            return out;
          }

          @Override
          public void commit() throws IOException {
            int[] checksum = {(int) sum.getValue()};
            target.replaceStart(SafeTensorsHeader.encode(planned, metadata, checksum));
            target.commit();
          }

          @Override
          public void close() throws IOException {
            target.close();
          }
        };
    ArrayWriter writer = ArrayWriter.start(sink, header, type, shape);
    sum.reset(); // what follows the header
    return writer;
  }

  private static List<Map.Entry<String, Tensor>> widestFirst(Map<String, Tensor> tensors) {
    return tensors.entrySet().stream()
        .sorted((a, b) -> b.getValue().type().bytes() - a.getValue().type().bytes())
        .toList();
  }

  /** A section of a file that several threads read in turn, each from its own position. */
  private static final class Section extends InputStream {
    private final RandomAccessFile file;
    private long position;
    private long left;

    Section(RandomAccessFile file, long position, long length) {
      this.file = file;
      this.position = position;
      this.left = length;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      if (left == 0) {
        return -1;
      }
      int wanted = (int) Math.min(length, left);
      int got;
      synchronized (file) {
        file.seek(position);
        got = file.read(bytes, offset, wanted);
      }
      if (got > 0) {
        position += got;
        left -= got;
      }
      return got;
    }
  }
}
