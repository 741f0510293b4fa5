package io.perflow.tensor.io;

import io.perflow.tensor.Shape;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The JSON header of a safetensors file: {@code {"name": {"dtype": "F32", "shape": [2, 3],
 * "data_offsets": [0, 24]}, …, "__metadata__": {"key": "text", …}}}, where offsets count bytes from
 * the end of the header.
 *
 * <p>Headers that are written here begin with the metadata {@code perflow.crc32c}: the CRC-32C of
 * the header behind these eight digits, and then that of each tensor's bytes in the order of the
 * header. Another program may copy the metadata but writes its header and tensors in its own way,
 * so checksums count only at that place.
 *
 * @param checksums of the tensors' bytes, when the file has them
 * @param dataStart position of the numbers in the file
 */
record SafeTensorsHeader(
    Map<String, Entry> entries,
    Map<String, String> metadata,
    Optional<Map<String, Integer>> checksums,
    long dataStart) {
  private static final String METADATA = "__metadata__";
  private static final String CHECKSUMS = "perflow.crc32c";

  /**
   * The beginning of a header with checksums; the eight digits of the header's own checksum follow.
   */
  private static final byte[] MARK =
      "{\"%s\":{\"%s\":\"".formatted(METADATA, CHECKSUMS).getBytes(StandardCharsets.US_ASCII);

  private static final int DIGITS = 2 * Integer.BYTES;
  private static final int PREFIX = Long.BYTES;
  private static final int ALIGNMENT = 8;

  /** The longest header that the format allows. */
  private static final int MAX_LENGTH = Json.MAX_LENGTH;

  /** The place and the type of a tensor's bytes. */
  record Entry(String dtype, long[] extents, long begin, long end) {
    long bytes() {
      return end - begin;
    }
  }

  /** Returns the type of that name, if it is one that can be read. */
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
          "is not a safetensors file, or is damaged: it claims a header of %s bytes in a file of"
              + " %d; at most %d are allowed",
          Long.toUnsignedString(size), length, MAX_LENGTH);
    }
    at.checkMemory("the header", (double) size * Json.MEMORY);
    byte[] bytes = in.readNBytes((int) size);
    if (bytes.length < size) {
      throw at.error("the header ends after %d of %d bytes", bytes.length, size);
    }
    if (bytes[0] != '{') {
      throw at.error("the header does not start with '{'");
    }
    boolean checked = checkOwnSum(at, bytes);
    Object json = Json.parse(at.utf8("the header", bytes), at.file() + ": header");
    return check(at, Json.object(json, "the header"), checked, PREFIX + size, length);
  }

  // Returns whether the header has a checksum, and verifies it. If the checksum fits although the
  // mark before it does not, this is a header of ours with a damaged mark.
  private static boolean checkOwnSum(Location at, byte[] bytes) throws FileFormatException {
    if (bytes.length < MARK.length + DIGITS) {
      return false;
    }
    boolean marked = Arrays.equals(bytes, 0, MARK.length, MARK, 0, MARK.length);
    String claimed = new String(bytes, MARK.length, DIGITS, StandardCharsets.ISO_8859_1);
    String found = hex(ownSum(bytes));
    if (marked != found.equals(claimed)) {
      throw at.error(
          "the header is damaged: checksum %s, expected %s; restore the file from a copy, or, if"
              + " another program has changed it on purpose, drop its metadata '%s'",
          found, FileFormatException.quote(claimed), CHECKSUMS);
    }
    return marked;
  }

  private static int ownSum(byte[] header) {
    CRC32C sum = new CRC32C();
    int rest = MARK.length + DIGITS;
    sum.update(header, rest, header.length - rest);
    return (int) sum.getValue();
  }

  /** Returns a checksum as files and messages write it. */
  static String hex(int checksum) {
    return HexFormat.of().toHexDigits(checksum);
  }

  private static SafeTensorsHeader check(
      Location at, Map<String, Object> json, boolean checked, long dataStart, long length)
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
    String sums = metadata.remove(CHECKSUMS);
    return new SafeTensorsHeader(
        Collections.unmodifiableMap(entries),
        Collections.unmodifiableMap(metadata),
        checked ? Optional.of(checksums(at, sums, entries)) : Optional.empty(),
        dataStart);
  }

  private static Map<String, Integer> checksums(
      Location at, String text, Map<String, Entry> entries) throws FileFormatException {
    String[] all = text.split(" ", -1);
    Map<String, Integer> checksums = new LinkedHashMap<>();
    try {
      for (String name : entries.keySet()) {
        checksums.put(name, HexFormat.fromHexDigits(all[checksums.size() + 1]));
      }
    } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
      throw at.entry(CHECKSUMS)
          .error("%d checksums are not those of %d tensors", all.length - 1, entries.size());
    }
    return checksums;
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
    if (type.isPresent()) { // the size of other types is not known, and they are not read
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

  /** A tensor that is about to be written. */
  record Planned(String name, ElementType type, Shape shape) {}

  /**
   * Returns length and header for tensors that follow in this order. Its length does not depend on
   * the checksums.
   */
  static byte[] encode(List<Planned> tensors, Map<String, String> metadata, int[] checksums) {
    StringBuilder sums = new StringBuilder("0".repeat(DIGITS));
    Arrays.stream(checksums).forEach(sum -> sums.append(' ').append(hex(sum)));
    Map<String, Object> notes = new LinkedHashMap<>();
    notes.put(CHECKSUMS, sums.toString());
    notes.putAll(metadata);
    Map<String, Object> json = new LinkedHashMap<>();
    json.put(METADATA, notes);
    long begin = 0;
    for (Planned tensor : tensors) {
      begin = put(json, tensor, begin);
    }
    return encode(json);
  }

  // returns where the tensor ends
  private static long put(Map<String, Object> json, Planned tensor, long begin) {
    if (tensor.name.equals(METADATA)) {
      throw new IllegalArgumentException("no tensor can be named " + METADATA);
    }
    long end = begin + (long) tensor.shape.size() * tensor.type.bytes();
    Map<String, Object> entry = new LinkedHashMap<>();
    entry.put("dtype", tensor.type.name());
    entry.put("shape", tensor.shape.toArray());
    entry.put("data_offsets", new long[] {begin, end});
    json.put(tensor.name, entry);
    return end;
  }

  private static byte[] encode(Map<String, Object> json) {
    byte[] text = Json.write(json).getBytes(StandardCharsets.UTF_8);
    int padded = (text.length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (padded > MAX_LENGTH) {
      throw new IllegalArgumentException(
          "a header of %d bytes, at most %d are allowed".formatted(padded, MAX_LENGTH));
    }
    byte[] header = Arrays.copyOf(text, padded);
    Arrays.fill(header, text.length, padded, (byte) ' ');
    byte[] own = hex(ownSum(header)).getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(own, 0, header, MARK.length, DIGITS);
    return ByteBuffer.allocate(PREFIX + padded)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(padded)
        .put(header)
        .array();
  }
}
