package io.perflow.tensor.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files written by NumPy and PyTorch; see {@code make_fixtures.py} beside them. */
class FixturesTest {
  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "c_order",
        "fortran",
        "big_endian",
        "big_endian_fortran",
        "scalar",
        "empty",
        "version2",
        "version3",
        "complex",
        "complex_fortran"
      })
  void npy(String name) throws IOException {
    Tensor actual = Npy.read(Samples.fixture(directory, name + ".npy"));
    check(expected(name + ".npy").get(""), actual);
  }

  @ParameterizedTest
  @ValueSource(strings = {"stored.npz", "deflated.npz"})
  void npz(String name) throws IOException {
    Map<String, Object> expected = expected(name);
    try (Npz file = Npz.read(Samples.fixture(directory, name))) {
      assertEquals(List.copyOf(expected.keySet()), List.copyOf(file.names()));
      for (String entry : file.names()) {
        Tensor actual = file.load(entry);
        assertEquals(actual.shape(), file.shape(entry));
        assertEquals(actual.type(), file.type(entry));
        check(expected.get(entry), actual);
      }
    }
  }

  @Test
  void safetensors() throws IOException {
    Map<String, Object> expected = expected("torch.safetensors");
    try (SafeTensors file = SafeTensors.read(Samples.fixture(directory, "torch.safetensors"))) {
      assertEquals(expected.size() + 1, file.names().size());
      for (String entry : expected.keySet()) {
        Tensor actual = file.load(entry);
        assertEquals(actual.shape(), file.shape(entry));
        assertEquals(actual.type(), file.type(entry));
        check(expected.get(entry), actual);
      }
      assertEquals(Map.of("format", "pt", "note", "äöü 流 \"quoted\"\n"), file.metadata());
      var refused = assertThrows(FileFormatException.class, () -> file.load("tiny"));
      assertTrue(refused.getMessage().contains("entry 'tiny': dtype 'F8_E4M3'"));
    }
  }

  private Map<String, Object> expected(String file) throws IOException {
    Object all = Json.read(Samples.fixture(directory, "expected.json"));
    return Json.object(Json.object(all, "all").get(file), file);
  }

  private static void check(Object expected, Tensor actual) throws IOException {
    Map<String, Object> fields = Json.object(expected, "entry");
    assertEquals(DataType.valueOf(Json.text(fields.get("type"), "type")), actual.type());
    assertEquals(fields.get("shape").toString(), actual.shape().toString());
    double[] numbers =
        Json.list(fields.get("numbers"), "numbers").stream()
            .mapToDouble(FixturesTest::number)
            .toArray();
    assertArrayEquals(numbers, actual.toDoubles());
  }

  private static double number(Object value) {
    return value instanceof String text
        ? Double.parseDouble(text.replace("inf", "Infinity").replace("nan", "NaN"))
        : ((Number) value).doubleValue();
  }
}
