package io.perflow.tensor.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonTest {
  @TempDir Path directory;

  @Property(tries = 500)
  void whatIsWrittenReadsBack(@ForAll("values") Object value) throws IOException {
    assertEquals(value, Json.parse(Json.write(value)));
    assertEquals(value, Json.parse(Json.pretty(value)));
  }

  @Provide
  Arbitrary<Object> values() {
    Arbitrary<Object> plain =
        Arbitraries.oneOf(
            Arbitraries.strings().all().ofMaxLength(8).map(text -> (Object) text),
            Arbitraries.longs().map(number -> (Object) number),
            Arbitraries.longs()
                .map(Double::longBitsToDouble)
                .filter(Double::isFinite)
                .map(number -> (Object) number),
            Arbitraries.of(true, false).map(flag -> (Object) flag),
            Arbitraries.just(null));
    return Arbitraries.recursive(
        () -> plain,
        inner ->
            Arbitraries.oneOf(
                inner.list().ofMaxSize(4).map(list -> (Object) list),
                Arbitraries.maps(Arbitraries.strings().ofMaxLength(4), inner)
                    .ofMaxSize(4)
                    .map(map -> (Object) map)),
        0,
        3);
  }

  @Test
  void valuesByKind() throws IOException {
    Map<String, Object> object =
        Json.object(
            Json.parse(
                """
                {"b": [1, -2.5e3, "x\\u00e9\\n\\ud83d\\ude00\\/", true, false, null],
                 "a": {}, "c": -0, "d": 9223372036854775808}
                """),
            "config");
    assertEquals(List.of("b", "a", "c", "d"), List.copyOf(object.keySet()));
    List<Object> list = Json.list(object.get("b"), "b");
    assertEquals(Arrays.asList(1L, -2500.0, "xé\n😀/", true, false, null), list);
    assertEquals(1, Json.integer(list.get(0), "n"));
    assertEquals(1.0, Json.number(list.get(0), "n"));
    assertEquals("xé\n😀/", Json.text(list.get(2), "s"));
    assertTrue(Json.flag(list.get(3), "f"));
    assertEquals(-0.0, object.get("c"));
    assertEquals(0x1p63, object.get("d"));
    assertThrows(UnsupportedOperationException.class, () -> list.add(1L));
    for (Object wrong : Arrays.asList(null, 1.5, object)) {
      var e = assertThrows(FileFormatException.class, () -> Json.integer(wrong, "patch"));
      assertTrue(e.getMessage().startsWith("json: patch must be an integer, found "));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "``             | line 1, column 1 (position 0): expected a value, found the end",
        "{'a':1,'a':2}  | line 1, column 8 (position 7): the key 'a' appears twice",
        "[1,2           | expected ',' or ']', found the end",
        "[1,]           | column 4 (position 3): expected a value, found ']'",
        "{'a':1,}       | expected a key in double quotes, found '}'",
        "{'a' 1}        | expected ':', found '1'",
        "{a:1}          | expected a key in double quotes, found 'a'",
        "[1] 2          | unexpected '2' after the value",
        "01             | must not start with 0",
        "-              | expected a digit, found the end",
        "1.             | expected a digit",
        ".5             | expected a value, found '.'",
        "1e             | expected a digit",
        "+1             | expected a value",
        "1e999          | exceeds a double",
        "NaN            | expected a value, found 'N'",
        "nul            | expected a value",
        "'abc           | ends inside a string",
        "'a\\x'         | unknown escape",
        "'\\u12g4'      | four hexadecimal digits, found 'g'",
        "'\\u12         | four hexadecimal digits, found the end",
      })
  void errorsNameThePlace(String text, String message) {
    var e =
        assertThrows(
            FileFormatException.class, () -> Json.parse(text.replace('\'', '"'), "config.json"));
    assertTrue(e.getMessage().startsWith("config.json: line 1, column "), e.getMessage());
    assertTrue(e.getMessage().contains(message), e.getMessage());
  }

  @Test
  void linesAreCounted() {
    var e = assertThrows(FileFormatException.class, () -> Json.parse("{\n  \"a\": 1,\n  b\n}"));
    assertTrue(e.getMessage().contains("line 3, column 3 (position 14)"), e.getMessage());
    e = assertThrows(FileFormatException.class, () -> Json.parse("[\"a\nb\"]"));
    assertTrue(e.getMessage().contains("write it as \\u000a"), e.getMessage());
  }

  @Test
  void limitsHold() throws IOException {
    Json.parse("[".repeat(100) + "]".repeat(100));
    String deep = "[".repeat(1_000_000);
    assertTrue(
        assertThrows(FileFormatException.class, () -> Json.parse(deep))
            .getMessage()
            .contains("deeper than 100"));
    String many = "[" + "0,".repeat(1 << 21) + "0]";
    assertTrue(
        assertThrows(FileFormatException.class, () -> Json.parse(many))
            .getMessage()
            .contains("more than 2097152 values"));
    String longNumber = "1".repeat(2000);
    assertThrows(FileFormatException.class, () -> Json.parse(longNumber));
  }

  @Test
  void whatJavaHoldsIsWritten() {
    Map<String, Object> value = new LinkedHashMap<>();
    value.put("ints", new int[] {1, 2});
    value.put("floats", new float[] {0.1f});
    value.put("nested", List.of(Map.of("x", 1.0), new String[] {"a\"\\\n\u0001"}));
    value.put("empty", Map.of());
    assertEquals(
        "{\"ints\":[1,2],\"floats\":[0.1],\"nested\":[{\"x\":1.0},[\"a\\\"\\\\\\n\\u0001\"]],"
            + "\"empty\":{}}",
        Json.write(value));
    assertEquals(
        """
        {
          "ints": [1, 2],
          "floats": [0.1],
          "nested": [
            {
              "x": 1.0
            },
            ["a\\"\\\\\\n\\u0001"]
          ],
          "empty": {}
        }\
        """,
        Json.pretty(value));
  }

  @Test
  void whatJsonCannotHoldIsRefused() {
    List<Object> cycle = new ArrayList<>();
    cycle.add(cycle);
    for (Object value :
        List.of(Double.NaN, Float.POSITIVE_INFINITY, Map.of(1, 2), new Object(), 'c')) {
      assertThrows(IllegalArgumentException.class, () -> Json.write(value));
    }
    assertThrows(IllegalArgumentException.class, () -> Json.write((Object) cycle));
  }

  @Test
  void filesBothWays() throws IOException {
    Path file = directory.resolve("config.json");
    Map<String, Object> value = Map.of("name", "Größe", "n", 3L);
    Json.write(file, value);
    assertEquals(value, Json.read(file));
    Files.write(file, "\"Größe\"".getBytes(StandardCharsets.ISO_8859_1));
    var e = assertThrows(FileFormatException.class, () -> Json.read(file));
    assertTrue(e.getMessage().startsWith(file + ": the file is not UTF-8"), e.getMessage());
  }
}
