package io.perflow.tensor.io;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The JSON header of a safetensors file: {@code {"name": {"dtype": "F32", "shape": [2, 3],
 * "data_offsets": [0, 24]}, …, "__metadata__": {"key": "text", …}}}, where offsets count bytes from
 * the end of the header.
 *
 * @param dataStart position of the numbers in the file
 */
record SafeTensorsHeader(Map<String, Entry> entries, Map<String, String> metadata, long dataStart) {
  private static final String METADATA = "__metadata__";
  private static final int PREFIX = Long.BYTES;
  private static final int ALIGNMENT = 8;

  /** Longest header that the format allows. */
  private static final int MAX_LENGTH = Json.MAX_LENGTH;

  /** Where a tensor's bytes are and how they are meant. */
  record Entry(String dtype, long[] extents, long begin, long end) {
    long bytes() {
      return end - begin;
    }
  }

  /** The type of that name, if it is one that can be read. */
  static Optional<ElementType> elementType(String dtype) {
    return Arrays.stream(ElementType.values()).filter(t -> t.name().equals(dtype)).findFirst();
  }

  /** Reads and checks the header of a file of {@code length} bytes. */
  static SafeTensorsHeader read(InputStream in, Location at, long length) throws IOException {
    byte[] prefix = in.readNBytes(PREFIX);
    if (prefix.length < PREFIX) {
      throw at.error("has %d bytes; a safetensors file starts with 8 for its length", length);
    }
    long size = ByteBuffer.wrap(prefix).order(ByteOrder.LITTLE_ENDIAN).getLong();
    if (size < 2 || size > MAX_LENGTH || size > length - PREFIX) {
      throw at.error(
          "claims a header of %s bytes in a file of %d; at most %d are allowed",
          Long.toUnsignedString(size), length, MAX_LENGTH);
    }
    byte[] bytes = in.readNBytes((int) size);
    if (bytes.length < size) {
      throw at.error("the header ends after %d of %d bytes", bytes.length, size);
    }
    if (bytes[0] != '{') {
      throw at.error("the header does not start with '{'");
    }
    Object json = Json.parse(at.utf8("the header", bytes), at.file() + ": header");
    return check(at, Json.object(json, "the header"), PREFIX + size, length);
  }

  private static SafeTensorsHeader check(
      Location at, Map<String, Object> json, long dataStart, long length)
      throws FileFormatException {
    Map<String, Entry> entries = new LinkedHashMap<>();
    Map<String, String> metadata = new LinkedHashMap<>();
    for (Map.Entry<String, Object> member : json.entrySet()) {
      String name = member.getKey();
      if (!(member.getValue() instanceof Map<?, ?> fields)) {
        throw at.entry(name).error("must be an object, found %s", Json.describe(member.getValue()));
      }
      if (name.equals(METADATA)) {
        for (Map.Entry<?, ?> note : fields.entrySet()) {
          if (!(note.getValue() instanceof String text)) {
            throw at.entry(METADATA)
                .error("may hold strings only, found %s", Json.describe(note.getValue()));
          }
          metadata.put((String) note.getKey(), text);
        }
      } else {
        entries.put(name, entry(at.entry(name), fields));
      }
    }
    checkCoverage(at, entries, length - dataStart);
    return new SafeTensorsHeader(
        Collections.unmodifiableMap(entries), Collections.unmodifiableMap(metadata), dataStart);
  }

  private static Entry entry(Location at, Map<?, ?> fields) throws FileFormatException {
    if (!(fields.get("dtype") instanceof String dtype)) {
      throw at.error("dtype must be a string, found %s", Json.describe(fields.get("dtype")));
    }
    long[] extents = naturals(at, "shape", fields.get("shape"));
    long[] offsets = naturals(at, "data_offsets", fields.get("data_offsets"));
    if (offsets.length != 2 || offsets[0] > offsets[1]) {
      throw at.error("data_offsets %s are not begin and end", brief(offsets));
    }
    Entry entry = new Entry(dtype, extents, offsets[0], offsets[1]);
    Optional<ElementType> type = elementType(dtype);
    if (type.isPresent()) { // of other types the size is not known, and nothing is read
      checkLength(at, entry, type.get());
    }
    return entry;
  }

  private static long[] naturals(Location at, String what, Object value)
      throws FileFormatException {
    if (!(value instanceof List<?> list)) {
      throw at.error("%s must be an array, found %s", what, Json.describe(value));
    }
    long[] numbers = new long[list.size()];
    for (int i = 0; i < numbers.length; i++) {
      if (!(list.get(i) instanceof Long number) || number < 0) {
        throw at.error(
            "%s must hold integers from 0 to 2^63 - 1, found %s", what, Json.describe(list.get(i)));
      }
      numbers[i] = number;
    }
    return numbers;
  }

  private static void checkLength(Location at, Entry entry, ElementType type)
      throws FileFormatException {
    long needed = type.bytes();
    try {
      if (Arrays.stream(entry.extents()).anyMatch(extent -> extent == 0)) {
        needed = 0;
      }
      for (long extent : entry.extents()) {
        needed = Math.multiplyExact(needed, extent);
      }
    } catch (ArithmeticException e) {
      throw at.error("shape %s needs more than 2^63 bytes", brief(entry.extents()));
    }
    if (needed != entry.bytes()) {
      throw at.error(
          "data_offsets [%d, %d] hold %d bytes, %s %s needs %d",
          entry.begin(), entry.end(), entry.bytes(), type, brief(entry.extents()), needed);
    }
  }

  // The tensors, sorted by their place, must follow each other without gap or overlap to the end.
  private static void checkCoverage(Location at, Map<String, Entry> entries, long dataBytes)
      throws FileFormatException {
    List<Map.Entry<String, Entry>> sorted =
        entries.entrySet().stream()
            .sorted(
                Comparator.comparingLong((Map.Entry<String, Entry> e) -> e.getValue().begin())
                    .thenComparingLong(e -> e.getValue().end()))
            .toList();
    long covered = 0;
    for (Map.Entry<String, Entry> named : sorted) {
      Entry entry = named.getValue();
      if (entry.begin() != covered) {
        throw at.entry(named.getKey())
            .error(
                "data_offsets [%d, %d] %s: the tensor before ends at %d",
                entry.begin(),
                entry.end(),
                entry.begin() < covered ? "overlap" : "leave a gap",
                covered);
      }
      if (entry.end() > dataBytes) {
        throw at.entry(named.getKey())
            .error(
                "data_offsets [%d, %d] exceed the %d bytes of data; the file is truncated",
                entry.begin(), entry.end(), dataBytes);
      }
      covered = entry.end();
    }
    if (covered != dataBytes) {
      throw at.error("%d bytes of data, but the tensors end at %d", dataBytes, covered);
    }
  }

  private static String brief(long[] numbers) {
    return numbers.length <= Location.MAX_RANK
        ? Arrays.toString(numbers)
        : "of " + numbers.length + " numbers";
  }

  /** Length and header for tensors that follow in this order. */
  static byte[] encode(List<Map.Entry<String, Tensor>> tensors, Map<String, String> metadata) {
    Map<String, Object> json = start(metadata);
    long begin = 0;
    for (Map.Entry<String, Tensor> named : tensors) {
      Tensor tensor = named.getValue();
      begin = put(json, named.getKey(), ElementType.of(tensor.type()), tensor.shape(), begin);
    }
    return encode(json);
  }

  /** The same for tensors of which the file holds those of F32 in half precision. */
  static byte[] encodeHalf(List<Map.Entry<String, Tensor>> tensors, Map<String, String> metadata) {
    Map<String, Object> json = start(metadata);
    long begin = 0;
    for (Map.Entry<String, Tensor> named : tensors) {
      Tensor tensor = named.getValue();
      ElementType type = tensor.type() == DataType.F64 ? ElementType.F64 : ElementType.F16;
      begin = put(json, named.getKey(), type, tensor.shape(), begin);
    }
    return encode(json);
  }

  /** Length and header for one tensor. */
  static byte[] encode(String name, DataType type, Shape shape, Map<String, String> metadata) {
    Map<String, Object> json = start(metadata);
    put(json, name, ElementType.of(type), shape, 0);
    return encode(json);
  }

  private static Map<String, Object> start(Map<String, String> metadata) {
    Map<String, Object> json = new LinkedHashMap<>();
    if (!metadata.isEmpty()) {
      json.put(METADATA, metadata);
    }
    return json;
  }

  // returns where the tensor ends
  private static long put(
      Map<String, Object> json, String name, ElementType type, Shape shape, long begin) {
    if (name.equals(METADATA)) {
      throw new IllegalArgumentException("no tensor can be named " + METADATA);
    }
    long end = begin + (long) shape.size() * type.bytes();
    Map<String, Object> entry = new LinkedHashMap<>();
    entry.put("dtype", type.name());
    entry.put("shape", shape.toArray());
    entry.put("data_offsets", new long[] {begin, end});
    json.put(name, entry);
    return end;
  }

  private static byte[] encode(Map<String, Object> json) {
    byte[] text = Json.write(json).getBytes(StandardCharsets.UTF_8);
    int padded = (text.length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (padded > MAX_LENGTH) {
      throw new IllegalArgumentException(
          "a header of %d bytes, at most %d are allowed".formatted(padded, MAX_LENGTH));
    }
    ByteBuffer buffer = ByteBuffer.allocate(PREFIX + padded).order(ByteOrder.LITTLE_ENDIAN);
    buffer.putLong(padded).put(text);
    Arrays.fill(buffer.array(), buffer.position(), buffer.capacity(), (byte) ' ');
    return buffer.array();
  }
}
