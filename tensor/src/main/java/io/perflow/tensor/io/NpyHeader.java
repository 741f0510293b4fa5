package io.perflow.tensor.io;

import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The header of an npy file: {@code \x93NUMPY}, two bytes of version, the length of the rest (2
 * bytes in version 1, 4 in 2 and 3, little endian), and a Python dict such as {@code {'descr':
 * '<f4', 'fortran_order': False, 'shape': (3, 4), }}, padded with spaces and a line feed.
 *
 * @param fortran whether the first axis runs fastest
 * @param extents the shape in the file, complex numbers counting as one element
 */
record NpyHeader(ElementType type, ByteOrder order, boolean fortran, Shape extents) {
  private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};

  /** The data starts at a multiple of this, as NumPy aligns it for memory maps. */
  private static final int ALIGNMENT = 64;

  /** The longest header that is read; that of a plain array of 64 axes has about 1500 bytes. */
  private static final int MAX_LENGTH = 1 << 16;

  private static final Map<String, ElementType> TYPES =
      Map.ofEntries(
          Map.entry("b1", ElementType.BOOL),
          Map.entry("u1", ElementType.U8),
          Map.entry("i1", ElementType.I8),
          Map.entry("u2", ElementType.U16),
          Map.entry("i2", ElementType.I16),
          Map.entry("u4", ElementType.U32),
          Map.entry("i4", ElementType.I32),
          Map.entry("u8", ElementType.U64),
          Map.entry("i8", ElementType.I64),
          Map.entry("f2", ElementType.F16),
          Map.entry("f4", ElementType.F32),
          Map.entry("f8", ElementType.F64),
          Map.entry("c8", ElementType.C64),
          Map.entry("c16", ElementType.C128));

  /**
   * Reads the header and leaves the stream at the data.
   *
   * @param length bytes of the whole array with its header: the data must fill it exactly
   */
  static NpyHeader read(InputStream in, Location at, long length) throws IOException {
    byte[] text = text(in, at);
    NpyHeader header = of(at, fields(text, at));
    header.checkLength(at, length - text.length);
    return header;
  }

  /** Describes an array whose numbers may be of any type; parameters as for {@link #read}. */
  static NpyInfo describe(InputStream in, Location at, long length) throws IOException {
    byte[] text = text(in, at);
    NpyHeaderParser.Fields fields = fields(text, at);
    if (type(fields.descr()) == null) {
      return new NpyInfo(
          fields.descr(), at.shape(fields.extents(), false), Optional.empty(), false);
    }
    NpyHeader header = of(at, fields);
    header.checkLength(at, length - text.length);
    return new NpyInfo(
        fields.descr(), header.extents, Optional.of(header.type.target()), header.type.isComplex());
  }

  /** Returns all bytes before the data: the magic number, the version, the length and the dict. */
  private static byte[] text(InputStream in, Location at) throws IOException {
    byte[] start = in.readNBytes(MAGIC.length + 2);
    if (start.length < MAGIC.length + 2 || !Arrays.equals(start, 0, 6, MAGIC, 0, 6)) {
      throw at.error("not an npy array: it does not start with \\x93NUMPY");
    }
    int version = start[6];
    if (version < 1 || version > 3 || start[7] != 0) {
      throw at.error("npy version %d.%d, known are 1.0, 2.0 and 3.0", version, start[7]);
    }
    byte[] lengthBytes = in.readNBytes(version == 1 ? 2 : 4);
    if (lengthBytes.length < (version == 1 ? 2 : 4)) {
      throw at.error("it ends before the length of its header");
    }
    long headerLength = 0;
    for (int i = lengthBytes.length - 1; i >= 0; i--) {
      headerLength = headerLength << 8 | Byte.toUnsignedInt(lengthBytes[i]);
    }
    if (headerLength > MAX_LENGTH) {
      throw at.error("the header has %d bytes, at most %d are read", headerLength, MAX_LENGTH);
    }
    byte[] bytes = in.readNBytes((int) headerLength);
    if (bytes.length < headerLength) {
      throw at.error("the header ends after %d of %d bytes", bytes.length, headerLength);
    }
    return ByteBuffer.allocate(start.length + lengthBytes.length + bytes.length)
        .put(start)
        .put(lengthBytes)
        .put(bytes)
        .array();
  }

  private static NpyHeaderParser.Fields fields(byte[] text, Location at)
      throws FileFormatException {
    int version = text[MAGIC.length];
    int from = MAGIC.length + 2 + (version == 1 ? 2 : 4);
    byte[] dict = Arrays.copyOfRange(text, from, text.length);
    return new NpyHeaderParser(
            version == 3
                ? at.utf8("the header", dict)
                : new String(dict, StandardCharsets.ISO_8859_1),
            at)
        .parse();
  }

  // Returns the type of a name such as <f4, or null when the library does not read it.
  private static ElementType type(String descr) {
    ElementType type = descr.isEmpty() ? null : TYPES.get(descr.substring(1));
    boolean known = type != null && "<>|".indexOf(descr.charAt(0)) >= 0;
    return !known || descr.charAt(0) == '|' && type.bytes() > 1 ? null : type;
  }

  private static NpyHeader of(Location at, NpyHeaderParser.Fields fields)
      throws FileFormatException {
    String descr = fields.descr();
    ElementType type = type(descr);
    if (descr.startsWith("[") || descr.startsWith("(")) {
      throw at.error(
          "a structured dtype is not supported; save its fields as separate arrays: %s",
          FileFormatException.quote(descr));
    }
    if (type == null) {
      throw at.error(
          "dtype %s is not supported, only <, > and | with %s; convert with astype('<f4')",
          FileFormatException.quote(descr),
          TYPES.keySet().stream().sorted().collect(Collectors.joining(", ")));
    }
    ByteOrder order = descr.charAt(0) == '>' ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    at.shape(fields.extents(), type.isComplex());
    return new NpyHeader(type, order, fields.fortran(), at.shape(fields.extents(), false));
  }

  private void checkLength(Location at, long available) throws FileFormatException {
    if (dataBytes() != available) {
      throw at.error(
          "%s %s needs %d bytes of data, there are %d%s",
          type,
          extents,
          dataBytes(),
          available,
          dataBytes() > available ? "; the file is truncated" : "");
    }
  }

  private long dataBytes() {
    return (long) extents.size() * type.bytes();
  }

  /** Returns the shape of the tensor: complex arrays get a last axis (re, im). */
  Shape shape() {
    return type.isComplex() ? extents.insert(extents.rank(), 2) : extents;
  }

  /** Returns where the numbers of the file lie in memory, in their order in the file. */
  Layout layout() {
    Shape shape = shape();
    if (!fortran) {
      return Layout.contiguous(shape);
    }
    int[] slowToFast = new int[shape.rank()];
    for (int i = 0; i < extents.rank(); i++) {
      slowToFast[i] = extents.rank() - 1 - i;
    }
    if (type.isComplex()) {
      slowToFast[extents.rank()] = extents.rank();
    }
    return Layout.ordered(shape, slowToFast);
  }

  /** Returns the bytes before the data. */
  byte[] encode(int version) {
    String shape =
        Arrays.stream(extents.toArray())
            .mapToObj(Integer::toString)
            .collect(Collectors.joining(", ", "(", extents.rank() == 1 ? ",)" : ")"));
    String dict =
        "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }"
            .formatted(descr(), fortran ? "True" : "False", shape);
    int prefix = MAGIC.length + 2 + (version == 1 ? 2 : 4);
    int total = (prefix + dict.length() + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    ByteBuffer buffer = ByteBuffer.allocate(total).order(ByteOrder.LITTLE_ENDIAN);
    buffer.put(MAGIC).put((byte) version).put((byte) 0);
    if (version == 1) {
      buffer.putShort((short) (total - prefix));
    } else {
      buffer.putInt(total - prefix);
    }
    buffer.put(dict.getBytes(StandardCharsets.US_ASCII));
    Arrays.fill(buffer.array(), buffer.position(), total - 1, (byte) ' ');
    buffer.put(total - 1, (byte) '\n');
    return buffer.array();
  }

  private String descr() {
    String code =
        TYPES.entrySet().stream()
            .filter(entry -> entry.getValue() == type)
            .map(Map.Entry::getKey)
            .findFirst()
            .orElseThrow(() -> new IllegalArgumentException("npy has no type " + type));
    String mark = type.bytes() == 1 ? "|" : order == ByteOrder.BIG_ENDIAN ? ">" : "<";
    return mark + code;
  }
}
