package io.perflow.tensor.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.tensor.DataType;
import io.perflow.tensor.ShapeException;
import io.perflow.tensor.Tensor;
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
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SafeTensorsTest {
  @TempDir Path directory;

  @Test
  void theFileIsAlignedAndPadded() throws IOException {
    Map<String, Tensor> tensors = new LinkedHashMap<>();
    tensors.put("narrow", Tensor.of(new float[] {1}, 1));
    tensors.put("wide", Tensor.of(new double[] {2}, 1));
    Path file = directory.resolve("x.safetensors");
    SafeTensors.write(file, tensors, Map.of());
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
    int header = (int) bytes.getLong(0);
    assertEquals(0, header % 8);
    String text = new String(bytes.array(), 8, header, StandardCharsets.UTF_8);
    assertEquals(
        "{\"__metadata__\":{\"perflow.crc32c\":\"fcd836ac cd53af36 dd54c4ab\"},"
            + "\"wide\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0,8]},"
            + "\"narrow\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[8,12]}}",
        text.strip());
    assertEquals(2.0, bytes.getDouble(8 + header));
    assertEquals(1f, bytes.getFloat(16 + header));
    assertEquals(8 + header + 12, bytes.capacity());
  }

  @Test
  void readersThatAreInterruptedDoNotDisturbTheOthers() throws Exception {
    float[] numbers = new float[300_000];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = i;
    }
    Path file = directory.resolve("shared.safetensors");
    Thread.currentThread().interrupt(); // writes are not broken either
    SafeTensors.write(file, Map.of("x", Tensor.of(numbers, numbers.length)), Map.of());
    assertTrue(Thread.interrupted());
    try (SafeTensors shared = SafeTensors.read(file);
        ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<float[]>> read = new ArrayList<>();
      for (int reader = 0; reader < 8; reader++) {
        boolean interrupted = reader % 2 == 0;
        read.add(
            readers.submit(
                () -> {
                  if (interrupted) {
                    Thread.currentThread().interrupt();
                  }
                  return shared.load("x").toFloats();
                }));
      }
      for (Future<float[]> one : read) {
        assertArrayEquals(numbers, one.get());
      }
    }
  }

  @Test
  void halfPrecisionKeepsThreeDigitsAndRefusesWhatDoesNotFit() throws IOException {
    Tensor x = Tensor.of(new float[] {0.1f, -3.14159f, 65504f, 0}, 2, 2);
    Path file = directory.resolve("half.safetensors");
    SafeTensors.writeHalf(file, Map.of("x", x), Map.of("note", "small"));
    try (SafeTensors read = SafeTensors.read(file)) {
      assertEquals("small", read.metadata().get("note"));
      float[] back = read.load("x").toFloats();
      assertArrayEquals(new float[] {0.1f, -3.14159f, 65504f, 0}, back, 1e-3f);
    }
    Tensor large = Tensor.of(new float[] {1e6f}, 1);
    assertThrows(
        IllegalArgumentException.class,
        () -> SafeTensors.writeHalf(file, Map.of("large", large), Map.of()));
  }

  @Test
  void aTensorInPiecesGivesTheSameFile() throws IOException {
    Tensor x = Samples.random(new Random(3), DataType.F32, 5, 2, 3);
    Path whole = directory.resolve("whole.safetensors");
    Path pieces = directory.resolve("pieces.safetensors");
    Map<String, String> notes = Map.of("seed", "3");
    SafeTensors.write(whole, Map.of("x", x), notes);
    try (ArrayWriter writer = SafeTensors.writer(pieces, "x", DataType.F32, x.shape(), notes)) {
      writer.append(x.select(0, 0));
      writer.append(x.slice(0, 1, 4));
      assertThrows(ShapeException.class, writer::commit);
      writer.append(x.select(0, 4).toFloats());
      assertTrue(Files.notExists(pieces));
      writer.commit();
    }
    assertEquals(-1, Files.mismatch(whole, pieces));
  }

  @Test
  void theMetadataNameIsTaken() {
    Path file = directory.resolve("x.safetensors");
    Map<String, Tensor> tensors = Map.of("__metadata__", Tensor.zeros(1));
    assertThrows(IllegalArgumentException.class, () -> SafeTensors.write(file, tensors, Map.of()));
    assertTrue(Files.notExists(file));
  }

  @Test
  void aMissingNameListsTheOthers() throws IOException {
    Path file = directory.resolve("x.safetensors");
    SafeTensors.write(file, Map.of("a", Tensor.zeros(1)), Map.of());
    try (SafeTensors tensors = SafeTensors.read(file)) {
      assertEquals(DataType.F32, tensors.type("a"));
      var e = assertThrows(FileFormatException.class, () -> tensors.load("b"));
      assertEquals(file + ": has no tensor 'b', only 'a'", e.getMessage());
    }
  }

  /** Headers over eight bytes of data. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'a':{'dtype':'F32','shape':[2],'data_offsets':[0,8]}}                     | ok",
        "{'a':{'dtype':'F32','shape':[2],'data_offsets':[0,8],'more':[]}}           | ok",
        "{'b':{'dtype':'F32','shape':[1],'data_offsets':[4,8]},'a':{'dtype':'F32','shape':[],'data_offsets':[0,4]}}"
            + " | ok",
        "{'a':{'dtype':'F99','shape':[2],'data_offsets':[0,8]}}                     | ok",
        "{'a':{'dtype':'F32','shape':[2],'data_offsets':[0,8]},'e':{'dtype':'F32','shape':[0],'data_offsets':[8,8]}}"
            + " | ok",
        "{'a':{'dtype':'F32','shape':[2],'data_offsets':[0,4]}}                     | hold 4 bytes,"
            + " F32 [2] needs 8",
        "{'a':{'dtype':'F32','shape':[1],'data_offsets':[0,4]}}                     | 8 bytes of"
            + " data, but the tensors end at 4",
        "{'a':{'dtype':'F32','shape':[1],'data_offsets':[4,8]}}                     | leave a gap:"
            + " the tensor before ends at 0",
        "{'a':{'dtype':'F64','shape':[2],'data_offsets':[0,16]}}                    | exceed the 8"
            + " bytes of data",
        "{'a':{'dtype':'F32','shape':[2],'data_offsets':[0,8]},'b':{'dtype':'F32','shape':[1],'data_offsets':[4,8]}}"
            + " | overlap",
        "{'a':{'dtype':'F32','shape':[2],'data_offsets':[8,0]}}                     | are not begin"
            + " and end",
        "{'a':{'dtype':'F32','shape':[2],'data_offsets':[0]}}                       | are not begin"
            + " and end",
        "{'a':{'dtype':'F32','shape':[-2],'data_offsets':[0,8]}}                    | integers from"
            + " 0",
        "{'a':{'dtype':'F32','shape':[2.0],'data_offsets':[0,8]}}                   | integers from"
            + " 0",
        "{'a':{'dtype':'F32','shape':[4294967296,4294967296],'data_offsets':[0,8]}} | more than"
            + " 2^63",
        "{'a':{'dtype':'F32','shape':[4611686018427387906],'data_offsets':[0,8]}}   | more than"
            + " 2^63",
        "{'a':{'dtype':'F32','shape':2,'data_offsets':[0,8]}}                       | shape must be"
            + " an array, found 2",
        "{'a':{'dtype':32,'shape':[2],'data_offsets':[0,8]}}                        | dtype must be"
            + " a string",
        "{'a':{'shape':[2],'data_offsets':[0,8]}}                                   | dtype must be"
            + " a string, found nothing",
        "{'a':{'dtype':'F32','shape':[2]}}                                          | data_offsets"
            + " must be an array",
        "{'a':[]}                                                                   | must be an"
            + " object",
        "{'a':{'dtype':'F32','shape':[2],'data_offsets':[0,8]},'a':{}}              | 'a' appears"
            + " twice",
        "{'__metadata__':{'x':1}}                                                   | strings only,"
            + " found 1",
        "{'a':{'dtype':'F32','shape':[2],'data_offsets':[0,8]}} x                   | after the"
            + " value",
        "[]                                                                         | does not"
            + " start with",
        "{}                                                                         | 8 bytes of"
            + " data, but",
      })
  void headers(String header, String outcome) throws IOException {
    byte[] text = header.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    Path file = write(text.length, text);
    if (outcome.equals("ok")) {
      SafeTensors.read(file).close();
      return;
    }
    var e = assertThrows(FileFormatException.class, () -> SafeTensors.read(file));
    assertTrue(e.getMessage().startsWith(file + ": "), e.getMessage());
    assertTrue(e.getMessage().contains(outcome), e.getMessage());
  }

  @Test
  void lengthsAreCheckedFirst() throws IOException {
    for (long length : new long[] {-1, 0, 1, 19, 100_000_001, Long.MAX_VALUE, Long.MIN_VALUE}) {
      Path file = write(length, "{}        ".getBytes(StandardCharsets.UTF_8));
      var e = assertThrows(FileFormatException.class, () -> SafeTensors.read(file));
      String claimed = Long.toUnsignedString(length);
      assertTrue(e.getMessage().contains("a header of " + claimed + " bytes"), e.getMessage());
    }
    Path brief = Files.write(directory.resolve("brief"), new byte[7]);
    assertThrows(FileFormatException.class, () -> SafeTensors.read(brief));
  }

  @Test
  void aHeaderMustBeUtf8() throws IOException {
    Path file = write(6, new byte[] {'{', '"', (byte) 0xff, '"', ':', '}'});
    var e = assertThrows(FileFormatException.class, () -> SafeTensors.read(file));
    assertTrue(e.getMessage().contains("the header is not UTF-8"), e.getMessage());
  }

  /** Elements that no array can hold are refused when asked for, not before. */
  @Test
  void tooLargeATensorDoesNotSpoilTheOthers() throws IOException {
    String text = "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]},";
    text += "\"huge\":{\"dtype\":\"F32\",\"shape\":[0,9999999999],\"data_offsets\":[8,8]}}";
    Path file = write(text.length(), text.getBytes(StandardCharsets.UTF_8));
    try (SafeTensors tensors = SafeTensors.read(file)) {
      assertEquals(List.of("a", "huge"), List.copyOf(tensors.names()));
      assertEquals(2, tensors.load("a").size());
      assertThrows(FileFormatException.class, () -> tensors.load("huge"));
      assertThrows(FileFormatException.class, () -> tensors.shape("huge"));
    }
  }

  @Test
  void aHostileNameCannotForgeLines() throws IOException {
    String text = "{\"a\\nb\\u001b[2J" + "x".repeat(1000) + "\":[]}";
    Path file = write(text.length(), text.getBytes(StandardCharsets.UTF_8));
    var e = assertThrows(FileFormatException.class, () -> SafeTensors.read(file));
    assertTrue(e.getMessage().chars().noneMatch(Character::isISOControl), e.getMessage());
    assertTrue(e.getMessage().length() < 400 + file.toString().length());
  }

  /** A file cut while it is open. */
  @Test
  void aFileThatShrinks() throws IOException {
    Path file = directory.resolve("x.safetensors");
    SafeTensors.write(file, Map.of("a", Tensor.zeros(100)), Map.of());
    byte[] bytes = Files.readAllBytes(file);
    try (SafeTensors tensors = SafeTensors.read(file)) {
      Files.write(file, Arrays.copyOf(bytes, bytes.length - 3));
      var e = assertThrows(FileFormatException.class, () -> tensors.load("a"));
      assertTrue(e.getMessage().contains("ends after 397 of 400 bytes"), e.getMessage());
    }
  }

  private Path write(long length, byte[] header) throws IOException {
    ByteBuffer file = ByteBuffer.allocate(16 + header.length).order(ByteOrder.LITTLE_ENDIAN);
    file.putLong(length).put(header);
    return Files.write(directory.resolve("x.safetensors"), file.array());
  }
}
