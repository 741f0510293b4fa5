package io.perflow.cli;

import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Json;
import io.perflow.tensor.io.SafeTensors;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/**
 * Changes a sound file so that it still looks like one: a value in a JSON text, a number in a
 * header, a cell of a table, an entry of an archive, with lengths and checksums that fit, since
 * these would hide all else. One case in four has bytes changed anywhere.
 */
public final class Forgery {
  private static final List<Object> ODD =
      Arrays.asList(
          null,
          -10L,
          0L,
          16 + (1L << 32),
          Long.MAX_VALUE,
          Long.MIN_VALUE,
          1L << 30,
          -1e300,
          1e-320,
          0.5,
          "",
          "\u001b[2J",
          "x".repeat(300),
          true,
          List.of(),
          List.of(List.of(1L)),
          Map.of());

  private static final List<String> ODD_TEXT =
      List.of(
          "",
          "-1",
          "0",
          "nan",
          "-inf",
          "1e400",
          "1e30",
          "4294967312",
          "9223372036854775808",
          "9".repeat(400),
          "0x10",
          "\u0661",
          "\u001b[31m",
          "\"",
          "'",
          "(",
          "{",
          "\u0000",
          "True",
          "1,2");

  private static final long[] ODD_WORDS = {
    0, 1, 2, 7, -1, -4, 255, 1 << 15, Integer.MAX_VALUE, Integer.MIN_VALUE, 1L << 32, Long.MAX_VALUE
  };

  private static final Pattern TOKEN = Pattern.compile("\\w+|'[^']*'");

  private final Random random;

  /** A forger, who does the same whenever the number is the same. */
  public Forgery(long number) {
    random = new Random(number * 0x9e3779b97f4a7c15L);
  }

  /** One of them. */
  <T> T any(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  private boolean often() {
    return random.nextInt(4) > 0;
  }

  /** Writes a forged copy. */
  void write(Path sound, String kind, Path file) throws IOException {
    if (kind.equals("safetensors") && often()) {
      if (often()) {
        notes(sound, file);
      } else {
        Files.write(file, header(Files.readAllBytes(sound)));
      }
    } else {
      Files.write(file, forged(kind, Files.readAllBytes(sound)));
    }
  }

  private byte[] forged(String kind, byte[] sound) throws IOException {
    if (!often()) {
      return mutant(sound);
    }
    return switch (kind) {
      case "json" -> json(text(sound)).getBytes(StandardCharsets.UTF_8);
      case "csv" -> table(text(sound)).getBytes(StandardCharsets.UTF_8);
      case "npy" -> array(sound);
      case "npz" -> archive(sound);
      case "tfevents" -> records(sound);
      default -> words(sound);
    };
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  // the notes, or the tensors, of a file with checksums that fit
  private void notes(Path sound, Path file) throws IOException {
    try (SafeTensors open = SafeTensors.read(sound)) {
      Map<String, Tensor> tensors = new LinkedHashMap<>(open.loadAll());
      Map<String, String> notes = new LinkedHashMap<>(open.metadata());
      if (random.nextInt(5) == 0) {
        String name = any(List.copyOf(tensors.keySet()));
        switch (random.nextInt(3)) {
          case 0 -> tensors.remove(name);
          case 1 -> tensors.put(name, Tensor.zeros(random.nextInt(3), 2));
          default -> tensors.put(name, tensors.get(name).mul(Float.POSITIVE_INFINITY));
        }
      } else {
        String name = any(List.copyOf(notes.keySet()));
        String text = notes.get(name);
        if (text.startsWith("{")) {
          notes.put(name, json(text));
        } else if (random.nextBoolean()) {
          notes.put(name, String.valueOf(any(ODD)));
        } else {
          notes.remove(name);
        }
      }
      SafeTensors.write(file, tensors, notes);
    }
  }

  // names, types, shapes and offsets, as of a writer that knows no checksums
  private byte[] header(byte[] sound) throws IOException {
    int length = (int) little(sound).getLong();
    Map<String, Object> json =
        new LinkedHashMap<>(
            Json.object(
                Json.parse(new String(sound, Long.BYTES, length, StandardCharsets.UTF_8)),
                "header"));
    json.remove("__metadata__");
    byte[] header = Json.write(odd(json)).getBytes(StandardCharsets.UTF_8);
    byte[] forged = Arrays.copyOf(header, header.length + sound.length - Long.BYTES - length);
    System.arraycopy(
        sound, Long.BYTES + length, forged, header.length, forged.length - header.length);
    return little(new byte[Long.BYTES + forged.length]).putLong(header.length).put(forged).array();
  }

  private static ByteBuffer little(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** A JSON text with one of its values replaced, left out or repeated. */
  public String json(String sound) throws FileFormatException {
    return Json.write(odd(Json.parse(sound)));
  }

  /** A table with one of its cells or lines replaced, left out or repeated. */
  public String table(String sound) {
    List<String> lines = new ArrayList<>(sound.lines().toList());
    int at = random.nextInt(lines.size());
    List<String> cells = new ArrayList<>(List.of(lines.get(at).split(",", -1)));
    int cell = random.nextInt(cells.size());
    switch (random.nextInt(6)) {
      case 0 -> cells.remove(cell);
      case 1 -> cells.add(cell, any(cells));
      case 2 -> lines.add(at, any(lines));
      default -> cells.set(cell, any(ODD_TEXT));
    }
    lines.set(at, String.join(",", cells));
    return String.join(random.nextInt(5) == 0 ? "\r\n" : "\n", lines);
  }

  // a word of the header's text, whose length fits again
  private byte[] array(byte[] sound) {
    int length = little(sound).getShort(8);
    int start = 10;
    String header = new String(sound, start, length, StandardCharsets.ISO_8859_1);
    MatchResult token = any(TOKEN.matcher(header).results().toList());
    String forged =
        header.substring(0, token.start()) + any(ODD_TEXT) + header.substring(token.end());
    byte[] text = forged.getBytes(StandardCharsets.ISO_8859_1);
    return little(new byte[start + text.length + sound.length - start - length])
        .put(sound, 0, 8)
        .putShort((short) text.length)
        .put(text)
        .put(sound, start + length, sound.length - start - length)
        .array();
  }

  // one of the entries, with the checksum of what it is now
  private byte[] archive(byte[] sound) throws IOException {
    Map<String, byte[]> entries = new LinkedHashMap<>();
    try (ZipInputStream in = new ZipInputStream(new ByteArrayInputStream(sound))) {
      for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
        entries.put(entry.getName(), in.readAllBytes());
      }
    }
    String name = any(List.copyOf(entries.keySet()));
    byte[] content = entries.get(name);
    switch (random.nextInt(8)) {
      case 0 -> entries.remove(name);
      case 1 -> entries.put(any(ODD_TEXT) + ".npy", content);
      default -> entries.put(name, forged(name.substring(name.lastIndexOf('.') + 1), content));
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZipOutputStream out = new ZipOutputStream(bytes)) {
      for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
        out.putNextEntry(new ZipEntry(entry.getKey()));
        out.write(entry.getValue());
        out.closeEntry();
      }
    }
    return bytes.toByteArray();
  }

  // One of the records, or its length, with checksums of what they are now: the CRC-32C is turned
  // by 15 bits, and a constant is added.
  private byte[] records(byte[] sound) {
    int changed = random.nextInt(4);
    ByteBuffer in = little(sound);
    ByteBuffer out = little(new byte[sound.length + 1024]);
    for (int record = 0; in.hasRemaining(); record++) {
      byte[] content = new byte[(int) in.getLong()];
      in.getInt();
      in.get(content);
      in.getInt();
      boolean here = record == changed;
      byte[] written = here && random.nextBoolean() ? mutant(content) : content;
      long length = here && often() ? ODD_WORDS[random.nextInt(ODD_WORDS.length)] : written.length;
      byte[] head = little(new byte[Long.BYTES]).putLong(length).array();
      out.put(head).putInt(masked(head)).put(written).putInt(masked(written));
    }
    return Arrays.copyOf(out.array(), out.position());
  }

  private static int masked(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return Integer.rotateRight((int) crc.getValue(), 15) + 0xa282ead8;
  }

  // sizes, types and offsets of binary formats are whole numbers where their size divides
  private byte[] words(byte[] sound) {
    byte[] bytes = sound.clone();
    ByteBuffer buffer =
        ByteBuffer.wrap(bytes)
            .order(random.nextBoolean() ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
    for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
      int size = 1 << random.nextInt(4);
      int range = random.nextBoolean() ? Math.min(1024, bytes.length) : bytes.length;
      int at = random.nextInt(range - size) / size * size;
      long word = ODD_WORDS[random.nextInt(ODD_WORDS.length)];
      switch (size) {
        case 1 -> buffer.put(at, (byte) word);
        case 2 -> buffer.putShort(at, (short) word);
        case 4 -> buffer.putInt(at, (int) word);
        default -> buffer.putLong(at, word);
      }
    }
    return bytes;
  }

  // The value with one of its parts replaced, left out or repeated.
  private Object odd(Object value) {
    if (value instanceof Map<?, ?> map && !map.isEmpty() && random.nextInt(8) > 0) {
      Map<Object, Object> changed = new LinkedHashMap<>(map);
      Object key = any(List.copyOf(map.keySet()));
      if (random.nextInt(10) == 0) {
        changed.remove(key);
      } else {
        changed.put(key, odd(map.get(key)));
      }
      return changed;
    }
    if (value instanceof List<?> list && !list.isEmpty() && random.nextInt(6) > 0) {
      List<Object> changed = new ArrayList<>(list);
      int at = random.nextInt(list.size());
      switch (random.nextInt(5)) {
        case 0 -> changed.remove(at);
        case 1 -> changed.add(list.get(at));
        default -> changed.set(at, odd(list.get(at)));
      }
      return changed;
    }
    return any(ODD);
  }

  private byte[] mutant(byte[] sound) {
    byte[] bytes = sound.clone();
    if (bytes.length == 0) {
      return bytes;
    }
    int at = random.nextInt(bytes.length);
    switch (random.nextInt(5)) {
      case 0 -> {
        return Arrays.copyOf(bytes, at);
      }
      case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
      case 2 -> Arrays.fill(bytes, at, Math.min(bytes.length, at + 8), (byte) 0xff);
      case 3 -> bytes[at] = (byte) "0123456789,;\"{}[]-+eE.\n\t \0".charAt(random.nextInt(26));
      default -> {
        int from = random.nextInt(bytes.length);
        int count = Math.min(random.nextInt(64), bytes.length - Math.max(at, from));
        System.arraycopy(sound, from, bytes, at, count);
      }
    }
    return bytes;
  }
}
