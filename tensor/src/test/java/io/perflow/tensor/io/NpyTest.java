package io.perflow.tensor.io;

import static io.perflow.tensor.io.Samples.assertSame;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Shape;
import io.perflow.tensor.ShapeException;
import io.perflow.tensor.Tensor;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NpyTest {
  @TempDir Path directory;

  @Test
  void theBytesAreThoseOfNumPy() throws IOException {
    Path numpy = Samples.fixture(directory, "c_order.npy");
    Path ours = directory.resolve("ours.npy");
    Npy.write(ours, Npy.read(numpy));
    assertArrayEquals(Files.readAllBytes(numpy), Files.readAllBytes(ours));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '`',
      value = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}            ~ ok",
        "{\"shape\":(2L,),\"descr\":\"<f4\",\"fortran_order\":False}       ~ ok",
        "{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2), }         ~ ok",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}            ~ needs 12 bytes",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}            ~ needs 4 bytes",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}           ~ negative extent",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2)}             ~ written (n,)",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (65536, 65536)}  ~ more elements",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 4294967296)} ~ more elements",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)} ~ below 2^63",
        "{'descr': '|f4', 'fortran_order': False, 'shape': (2,)}            ~ dtype '|f4'",
        "{'descr': '|O', 'fortran_order': False, 'shape': (2,)}             ~ dtype '|O'",
        "{'descr': '<U2', 'fortran_order': False, 'shape': (1,)}            ~ dtype '<U2'",
        "{'descr': '', 'fortran_order': False, 'shape': (2,)}               ~ dtype ''",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}   ~ structured",
        "{'descr': '<f4', 'fortran_order': False}                           ~ are needed",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}                ~ True or False",
        "{'descr': '<f4', 'descr': '<f4', 'shape': (2,)}                    ~ appears twice",
        "{'descr': '<f4', 'x': '<f4', 'shape': (2,)}                        ~ unknown key 'x'",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x          ~ after the dict",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,                 ~ integer",
        "{'descr': '<f4                                                     ~ does not end",
        "[]                                                                 ~ expected '{'",
      })
  void headers(String header, String outcome) throws IOException {
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    file.write("\u0093NUMPY\u0001\0".getBytes(StandardCharsets.ISO_8859_1));
    file.write(header.length());
    file.write(0);
    file.write(header.getBytes(StandardCharsets.ISO_8859_1));
    file.write(new byte[8]);
    var in = new ByteArrayInputStream(file.toByteArray());
    Location at = new Location("a.npy", null);
    if (outcome.equals("ok")) {
      assertEquals(2, Npy.read(in, at, file.size()).size());
    } else {
      var e = assertThrows(FileFormatException.class, () -> Npy.read(in, at, file.size()));
      assertTrue(e.getMessage().startsWith("a.npy: "), e.getMessage());
      assertTrue(e.getMessage().contains(outcome), e.getMessage());
    }
  }

  @Test
  void someEntriesAreReadAlone() throws IOException {
    Path file = directory.resolve("part.npy");
    Tensor x = Tensor.arange(24).reshape(4, 3, 2);
    for (boolean fortran : new boolean[] {false, true}) {
      try (var out = Files.newOutputStream(file)) {
        out.write(
            new NpyHeader(ElementType.F32, ByteOrder.LITTLE_ENDIAN, fortran, x.shape()).encode(1));
        Tensor stored = fortran ? x.permute(2, 1, 0) : x;
        new ElementWriter(out, ByteOrder.LITTLE_ENDIAN).write(stored);
      }
      for (int first = 0; first < 4; first++) {
        for (int count = 0; count <= 4 - first; count++) {
          Tensor part = Npy.read(file, first, count);
          assertEquals(Shape.of(count, 3, 2), part.shape());
          assertArrayEquals(
              x.slice(0, first, first + count).contiguous().toFloats(),
              part.contiguous().toFloats());
        }
      }
      assertThrows(IllegalArgumentException.class, () -> Npy.read(file, 2, 3));
      assertThrows(IllegalArgumentException.class, () -> Npy.read(file, -1, 1));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '`',
      value = {
        "'<f4'              ~ <f4              ~ F32 ~ false",
        "'>c8'              ~ >c8              ~ F32 ~ true",
        "'|O'               ~ |O               ~     ~ false",
        "'<U7'              ~ <U7              ~     ~ false",
        "[('a', '<f4', (2,)), (('t', 'b]'), '<i4')] ~ [('a', '<f4', (2,)), (('t', 'b]'), '<i4')] ~"
            + " ~ false",
      })
  void headersAreDescribed(String descr, String dtype, DataType type, boolean complex)
      throws IOException {
    String header = "{'descr': " + descr + ", 'fortran_order': False, 'shape': (2,)}";
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write("\u0093NUMPY\u0001\0".getBytes(StandardCharsets.ISO_8859_1));
    bytes.write(header.length());
    bytes.write(0);
    bytes.write(header.getBytes(StandardCharsets.ISO_8859_1));
    bytes.write(new byte[complex ? 16 : 8]);
    Path file = Files.write(directory.resolve("described.npy"), bytes.toByteArray());
    assertEquals(
        new NpyInfo(dtype, Shape.of(2), Optional.ofNullable(type), complex), Npy.describe(file));
    Files.write(file, Arrays.copyOf(bytes.toByteArray(), 9));
    var e = assertThrows(FileFormatException.class, () -> Npy.describe(file));
    assertTrue(e.getMessage().contains("ends before the length"), e.getMessage());
  }

  @Test
  void aMissingFileIsNamed() {
    Path missing = directory.resolve("missing.npy");
    var e = assertThrows(NoSuchFileException.class, () -> Npy.read(missing));
    assertTrue(e.getMessage().contains("missing.npy"));
  }

  @Test
  void aDirectoryIsNoFile() {
    for (Executable read :
        List.<Executable>of(
            () -> Npy.read(directory),
            () -> Npz.read(directory),
            () -> SafeTensors.read(directory),
            () -> Json.read(directory))) {
      var e = assertThrows(FileFormatException.class, read);
      assertEquals(directory + ": is a directory, not a file", e.getMessage());
    }
  }

  @Test
  void aTruncatedFileSaysSo() throws IOException {
    Path file = directory.resolve("x.npy");
    Npy.write(file, Tensor.of(new float[6], 2, 3));
    byte[] bytes = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(bytes, bytes.length - 1));
    var e = assertThrows(FileFormatException.class, () -> Npy.read(file));
    assertEquals(
        file + ": F32 [2, 3] needs 24 bytes of data, there are 23; the file is truncated",
        e.getMessage());
  }

  // ---- in pieces

  @Test
  void piecesMakeTheWhole() throws IOException {
    for (DataType type : DataType.values()) {
      Tensor x = Samples.random(new Random(3), type, 5, 2, 3);
      Path file = directory.resolve(type + ".npy");
      try (ArrayWriter writer = Npy.writer(file, type, x.shape())) {
        writer.append(x.select(0, 0));
        writer.append(x.slice(0, 1, 3));
        if (type == DataType.F32) {
          writer.append(x.select(0, 3).toFloats());
        } else {
          writer.append(x.select(0, 3).toDoubles());
        }
        writer.append(x.slice(0, 4, 5));
        assertFalse(Files.exists(file));
        writer.commit();
      }
      assertSame(x, Npy.read(file));
    }
  }

  @Test
  void piecesMustFit() throws IOException {
    Path file = directory.resolve("x.npy");
    try (ArrayWriter writer = Npy.writer(file, DataType.F32, Shape.of(2, 3))) {
      rejected(
          "types", () -> writer.append(Tensor.of(new double[3], 3)), "convert it with to(F32)");
      rejected(
          "shape", () -> writer.append(Tensor.of(new float[2], 2)), "shape [2] is not part of");
      rejected("array", () -> writer.append(new double[3]), "double numbers for an array of F32");
      writer.append(Tensor.of(new float[3], 3));
      rejected("full", () -> writer.append(Tensor.of(new float[6], 2, 3)), "lacks 3");
      rejected("commit", writer::commit, "has 6 elements, 3 were written");
    }
    assertEquals(0, Files.list(directory).count());
  }

  private static void rejected(String what, Executable call, String message) {
    var e = assertThrows(ShapeException.class, call, what);
    assertTrue(e.getMessage().contains(message), e.getMessage());
  }
}
