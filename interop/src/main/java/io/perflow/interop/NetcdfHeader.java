package io.perflow.interop;

import io.perflow.tensor.DataType;
import io.perflow.tensor.io.FileFormatException;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The header of a classic NetCDF file.
 *
 * <p>Everything is big endian and padded to four bytes. After {@code CDF} and a version (1; 2 with
 * offsets of 64 bits; 5 with sizes of 64 bits too) come the number of records, the dimensions, the
 * attributes of the file and the variables; each list with a tag and its length. A variable has a
 * name, the indices of its dimensions, attributes, a type, its size and the offset of its data. The
 * dimension of length 0 counts records: a record holds one entry of each variable with this
 * dimension.
 */
final class NetcdfHeader {
  /** The types of numbers, by their code in the file. */
  enum Type {
    BYTE(1, 1, DataType.F32),
    TEXT(2, 1, DataType.F32),
    SHORT(3, 2, DataType.F32),
    INT(4, 4, DataType.F64),
    FLOAT(5, 4, DataType.F32),
    DOUBLE(6, 8, DataType.F64),
    UBYTE(7, 1, DataType.F32),
    USHORT(8, 2, DataType.F32),
    UINT(9, 4, DataType.F64),
    LONG(10, 8, DataType.F64),
    ULONG(11, 8, DataType.F64);

    private final int code;
    private final int bytes;
    private final DataType target;

    Type(int code, int bytes, DataType target) {
      this.code = code;
      this.bytes = bytes;
      this.target = target;
    }

    int bytes() {
      return bytes;
    }

    DataType target() {
      return target;
    }

    double next(ByteBuffer in) {
      return switch (this) {
        case BYTE -> in.get();
        case TEXT, UBYTE -> Byte.toUnsignedInt(in.get());
        case SHORT -> in.getShort();
        case USHORT -> Short.toUnsignedInt(in.getShort());
        case INT -> in.getInt();
        case UINT -> Integer.toUnsignedLong(in.getInt());
        case FLOAT -> in.getFloat();
        case DOUBLE -> in.getDouble();
        case LONG -> in.getLong();
        case ULONG -> {
          long bits = in.getLong();
          yield bits >= 0 ? bits : bits + 0x1p64;
        }
      };
    }
  }

  /** A dimension; {@code length} is the number of records if it is the record dimension. */
  record Dimension(String name, int length, boolean records) {}

  /** An attribute: a text, or numbers. */
  record Attribute(String text, double[] numbers) {}

  /** A variable and the offset of its data in the file. */
  record Variable(
      String name,
      List<Dimension> dimensions,
      Map<String, Attribute> attributes,
      Type type,
      long begin) {
    boolean isRecord() {
      return !dimensions.isEmpty() && dimensions.getFirst().records();
    }

    /**
     * Returns the number of bytes of the whole variable, or of its part of one record; -1 if no
     * file could hold it.
     */
    long bytes() {
      double size = type.bytes();
      long bytes = type.bytes();
      for (Dimension dimension : isRecord() ? dimensions.subList(1, rank()) : dimensions) {
        size *= dimension.length();
        bytes *= dimension.length();
      }
      return size > Long.MAX_VALUE / 2 ? -1 : bytes;
    }

    int rank() {
      return dimensions.size();
    }
  }

  private static final int DIMENSIONS = 10;
  private static final int VARIABLES = 11;
  private static final int ATTRIBUTES = 12;

  /** The longest name or text that is read; others are cut. */
  private static final int MAX_TEXT = 1 << 16;

  /** The largest number of axes of a variable. */
  private static final int MAX_RANK = 64;

  private final Path file;
  private final DataInputStream in;
  private long left; // bytes of the file that are not read yet
  private int version;

  private NetcdfHeader(Path file, InputStream in, long length) {
    this.file = file;
    this.in = new DataInputStream(new BufferedInputStream(in));
    this.left = length;
  }

  /** Returns the variables of a file, in its order; the data of each is within the file. */
  static List<Variable> read(Path file) throws IOException {
    long length = Files.size(file);
    try (InputStream in = Files.newInputStream(file)) {
      return new NetcdfHeader(file, in, length).read(length);
    }
  }

  private List<Variable> read(long length) throws IOException {
    version = int32() & 0xff;
    long records = version == 5 ? int64() : int32();
    List<Dimension> dimensions = dimensions();
    attributes(); // of the file
    List<Variable> variables = new ArrayList<>();
    int count = list(VARIABLES, "variables", 28);
    for (int i = 0; i < count; i++) {
      variables.add(variable(dimensions));
    }
    int counted = records(variables, records, length);
    List<Variable> checked = new ArrayList<>();
    long record = recordBytes(variables);
    for (Variable variable : variables) {
      Variable known = counted(variable, counted);
      check(known, record, length);
      checked.add(known);
    }
    return checked;
  }

  private List<Dimension> dimensions() throws IOException {
    List<Dimension> dimensions = new ArrayList<>();
    int count = list(DIMENSIONS, "dimensions", 8);
    for (int i = 0; i < count; i++) {
      String name = name();
      long length = size();
      if (length < 0 || length > Integer.MAX_VALUE) {
        throw error("dimension %s has length %d", name, length);
      }
      dimensions.add(new Dimension(name, (int) length, length == 0));
    }
    return dimensions;
  }

  private Variable variable(List<Dimension> dimensions) throws IOException {
    String name = name();
    long rank = size();
    if (rank < 0 || rank > MAX_RANK) {
      throw error("variable %s has %d axes, at most %d are read", name, rank, MAX_RANK);
    }
    List<Dimension> its = new ArrayList<>();
    for (int axis = 0; axis < rank; axis++) {
      long index = size();
      if (index < 0 || index >= dimensions.size()) {
        throw error("variable %s names dimension %d of %d", name, index, dimensions.size());
      }
      Dimension dimension = dimensions.get((int) index);
      if (dimension.records() && axis > 0) {
        throw error("variable %s counts records along axis %d, not the first", name, axis);
      }
      its.add(dimension);
    }
    Map<String, Attribute> attributes = attributes();
    Type type = type();
    size(); // the size of the data, which the shape gives too, and without the limit of 32 bits
    long begin = version == 1 ? Integer.toUnsignedLong(int32()) : int64();
    return new Variable(name, its, attributes, type, begin);
  }

  private Map<String, Attribute> attributes() throws IOException {
    Map<String, Attribute> attributes = new LinkedHashMap<>();
    int count = list(ATTRIBUTES, "attributes", 12);
    for (int i = 0; i < count; i++) {
      String name = name();
      Type type = type();
      long length = size();
      if (length < 0 || length > left / type.bytes()) {
        throw error("attribute %s has %d values, the file %d more bytes", name, length, left);
      }
      byte[] bytes = padded(length * type.bytes());
      if (type == Type.TEXT) {
        // Some programs end their texts with a zero.
        String text = new String(bytes, StandardCharsets.UTF_8).replace("\0", "").strip();
        attributes.put(name, new Attribute(text, new double[0]));
      } else {
        double[] numbers = new double[bytes.length / type.bytes()];
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        for (int k = 0; k < numbers.length; k++) {
          numbers[k] = type.next(buffer);
        }
        attributes.put(name, new Attribute("", numbers));
      }
    }
    return attributes;
  }

  /** Computes the number of records, which a program that was still writing left open. */
  private int records(List<Variable> variables, long stated, long length)
      throws FileFormatException {
    long bytes = recordBytes(variables);
    long begin =
        variables.stream()
            .filter(Variable::isRecord)
            .mapToLong(Variable::begin)
            .min()
            .orElse(length);
    long records = stated == -1 ? (bytes == 0 ? 0 : (length - begin) / bytes) : stated;
    if (records < 0 || records > Integer.MAX_VALUE) {
      throw error("%d records", records);
    }
    return (int) records;
  }

  /** Returns the number of bytes from one record to the next. */
  static long recordBytes(List<Variable> variables) {
    List<Variable> recorded = variables.stream().filter(Variable::isRecord).toList();
    if (recorded.size() == 1) {
      return recorded.getFirst().bytes(); // a single variable is not padded
    }
    return recorded.stream().mapToLong(variable -> (variable.bytes() + 3) / 4 * 4).sum();
  }

  private static Variable counted(Variable variable, int records) {
    if (!variable.isRecord()) {
      return variable;
    }
    List<Dimension> dimensions = new ArrayList<>(variable.dimensions());
    dimensions.set(0, new Dimension(dimensions.getFirst().name(), records, true));
    return new Variable(
        variable.name(), dimensions, variable.attributes(), variable.type(), variable.begin());
  }

  private void check(Variable variable, long record, long length) throws FileFormatException {
    long bytes = variable.bytes();
    int records = variable.isRecord() ? variable.dimensions().getFirst().length() : 1;
    // Computed in double, where nothing overflows: a wrong sum is far off, and the file is far
    // below 2^53 bytes.
    double end = variable.begin() + (records - 1.0) * (variable.isRecord() ? record : 0) + bytes;
    if (records > 0 && (variable.begin() < 0 || bytes < 0 || record < 0 || end > length)) {
      throw new FileFormatException(
          file.toString(),
          variable.name(),
          "%s %s from byte %d on does not fit into the %d bytes of the file; it is truncated or damaged"
              .formatted(
                  variable.type(),
                  variable.dimensions().stream().map(Dimension::length).toList(),
                  variable.begin(),
                  length));
    }
  }

  // ---- pieces

  private int list(int tag, String what, int least) throws IOException {
    int found = int32();
    long count = size();
    if (found == 0 && count == 0) {
      return 0;
    }
    if (found != tag || count < 0 || count > left / least) {
      throw error("a list of %s with tag %d and %d entries", what, found, count);
    }
    return (int) count;
  }

  private Type type() throws IOException {
    int code = int32();
    for (Type type : Type.values()) {
      if (type.code == code) {
        return type;
      }
    }
    throw error("unknown type %d", code);
  }

  private String name() throws IOException {
    long length = size();
    if (length < 0 || length > Math.min(left, MAX_TEXT)) {
      throw error("a name of %d bytes, %d are left", length, left);
    }
    return new String(padded(length), StandardCharsets.UTF_8);
  }

  private byte[] padded(long length) throws IOException {
    long all = (length + 3) / 4 * 4;
    byte[] bytes = new byte[(int) Math.min(length, MAX_TEXT)];
    take(all);
    in.readFully(bytes);
    in.skipNBytes(all - bytes.length);
    return bytes;
  }

  private long size() throws IOException {
    return version == 5 ? int64() : int32();
  }

  private int int32() throws IOException {
    take(Integer.BYTES);
    return in.readInt();
  }

  private long int64() throws IOException {
    take(Long.BYTES);
    return in.readLong();
  }

  private void take(long bytes) throws FileFormatException {
    left -= bytes;
    if (left < 0) {
      throw error("the file ends within the header; it is truncated");
    }
  }

  private FileFormatException error(String problem, Object... args) {
    return new FileFormatException(
        file.toString(), null, "not a sound NetCDF file: " + problem.formatted(args));
  }
}
