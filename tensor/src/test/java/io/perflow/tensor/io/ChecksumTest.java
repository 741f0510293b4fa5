package io.perflow.tensor.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checksums of safetensors files: no part of a damaged file is ever read as if it were sound. */
class ChecksumTest {
  private static final Map<String, Tensor> TENSORS =
      Map.of("a", Tensor.of(new float[] {1, 2, 3}, 3), "b", Tensor.of(new double[] {4, 5}, 2));

  @TempDir Path directory;

  private static void readAll(Path file) throws IOException {
    try (SafeTensors open = SafeTensors.read(file)) {
      open.loadAll();
    }
  }

  /** In the length of the header, in names, shapes, notes and numbers. */
  @Test
  void everyFlippedBitIsFound() throws IOException {
    Path file = directory.resolve("x.safetensors");
    SafeTensors.write(file, TENSORS, Map.of("units", "K"));
    byte[] sound = Files.readAllBytes(file);
    readAll(file);
    for (int bit = 0; bit < 8 * sound.length; bit++) {
      byte[] damaged = sound.clone();
      damaged[bit / 8] ^= (byte) (1 << bit % 8);
      Files.write(file, damaged);
      int where = bit;
      assertThrows(FileFormatException.class, () -> readAll(file), () -> "bit " + where);
    }
  }

  @Test
  void halfPrecisionAndPiecesHaveChecksumsToo() throws IOException {
    Path half = directory.resolve("half.safetensors");
    SafeTensors.writeHalf(half, TENSORS, Map.of());
    Path pieces = directory.resolve("pieces.safetensors");
    try (ArrayWriter out =
        SafeTensors.writer(pieces, "x", DataType.F32, Shape.of(4), Map.of("units", "K"))) {
      out.append(new float[] {1, 2});
      out.append(new float[] {3, 4});
      out.commit();
    }
    for (Path file : List.of(half, pieces)) {
      readAll(file);
      byte[] bytes = Files.readAllBytes(file);
      bytes[bytes.length - 1] ^= 1;
      Files.write(file, bytes);
      try (SafeTensors open = SafeTensors.read(file)) {
        assertTrue(open.hasChecksums());
        var e = assertThrows(FileFormatException.class, open::verify);
        assertTrue(e.getMessage().contains("is damaged: checksum"), e.getMessage());
        assertThrows(FileFormatException.class, open::loadAll);
      }
    }
  }

  @Test
  void checksumsAreNoNotesOfTheWriter() throws IOException {
    Path file = directory.resolve("x.safetensors");
    SafeTensors.write(file, TENSORS, Map.of("units", "K"));
    try (SafeTensors open = SafeTensors.read(file)) {
      assertEquals(Map.of("units", "K"), open.metadata());
    }
  }

  /** Another program that keeps our metadata and changes a tensor writes them in its own order. */
  @Test
  void filesOfOthersAreReadWithoutChecksums() throws IOException {
    String header =
        "{\"__metadata__\":{\"units\":\"K\",\"perflow.crc32c\":\"00000000 00000000\"},"
            + "\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}";
    ByteBuffer bytes = ByteBuffer.allocate(8 + header.length() + 4).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putLong(header.length()).put(header.getBytes(StandardCharsets.UTF_8)).putFloat(7);
    Path file = Files.write(directory.resolve("x.safetensors"), bytes.array());
    try (SafeTensors open = SafeTensors.read(file)) {
      assertFalse(open.hasChecksums());
      assertEquals(Map.of("units", "K"), open.metadata());
      assertArrayEquals(new float[] {7}, open.load("a").toFloats());
    }
  }
}
