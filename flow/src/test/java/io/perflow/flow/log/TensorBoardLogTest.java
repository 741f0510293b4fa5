package io.perflow.flow.log;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.perflow.fixtures.Resources;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TensorBoardLogTest {
  private static final InstantSource CLOCK =
      InstantSource.fixed(Instant.ofEpochSecond(1_700_000_000, 250_000_000));

  @TempDir Path directory;

  @Test
  void bytesAreThoseOfTensorBoardsWriter() throws IOException {
    try (TensorBoardLog log = TensorBoardLog.open(directory.resolve("new/dir"), 300, CLOCK)) {
      Map<String, Double> values = new LinkedHashMap<>();
      values.put("loss/train", 0.5);
      values.put("rate", 1e-4);
      log.write(301, values);
      log.write(0, Map.of("loss/train", Double.NaN));
      byte[] png = new byte[200];
      for (int i = 0; i < png.length; i++) {
        png[i] = (byte) i;
      }
      log.image(302, "ψ", png, 3, 2);
    }
    assertArrayEquals(
        Files.readAllBytes(Resources.path("/flow/events.tfevents")),
        Files.readAllBytes(files(directory.resolve("new/dir")).getFirst()));
  }

  @Test
  void aRecordIsFramedAsPublished() {
    // CRC-32C of "123456789" is e3069283; turned right by 15 bits 2507c60d; + a282ead8 = c78ab0e5
    byte[] frame = RecordFile.frame("123456789".getBytes(StandardCharsets.US_ASCII));
    String hex = HexFormat.of().formatHex(frame);
    assertEquals("0900000000000000", hex.substring(0, 16));
    assertEquals("e5b08ac7", hex.substring(hex.length() - 8));
  }

  @Test
  void everyRunHasItsOwnFileAndTheyAreInOrder() throws IOException {
    for (int run = 0; run < 3; run++) {
      TensorBoardLog.open(directory, run, CLOCK).close();
    }
    List<Path> files = files(directory);
    assertEquals(3, files.size());
    assertEquals(
        "events.out.tfevents.1700000000.0002.perflow", files.getLast().getFileName().toString());
    // the first starts at step 0 and has nothing to declare void
    assertEquals(
        16 + 9 + 2 + "brain.Event:2".length(), Files.size(files.getFirst()), "one event only");
  }

  private static List<Path> files(Path directory) throws IOException {
    try (var files = Files.list(directory)) {
      return files.sorted().toList();
    }
  }
}
