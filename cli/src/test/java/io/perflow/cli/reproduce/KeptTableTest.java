package io.perflow.cli.reproduce;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.tensor.io.FileFormatException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables that are read again, and figures that are drawn of them. */
class KeptTableTest {
  private static final Path KEPT = Path.of("..", "docs", "results");

  @TempDir Path home;

  @Test
  void keptFiguresAreThoseOfTheKeptTables() throws IOException {
    for (Path root : List.of(KEPT, KEPT.resolve("grid"))) {
      Path copy = Files.createDirectories(home.resolve(root.getFileName()));
      int tables = 0;
      for (Study study : Study.values()) {
        Path from = root.resolve(study.toString());
        if (Files.exists(from.resolve("results.csv"))) {
          tables += study == Study.UQ ? 0 : 1;
          copied(study, root, copy);
          String text = Files.readString(from.resolve("results.csv"));
          assertEquals(text, KeptTable.read(study, from).csv());
        }
      }
      List<Path> drawn = KeptTable.redraw(copy, List.of(Study.values()));
      assertEquals(tables, drawn.size());
      for (Path figure : drawn) {
        Path kept = root.resolve(copy.relativize(figure));
        assertArrayEquals(Files.readAllBytes(kept), Files.readAllBytes(figure), kept.toString());
      }
    }
  }

  @Test
  void aRowThatTheStudyDoesNotHaveIsRefused() throws IOException {
    copied(Study.NOISE, KEPT, home);
    Path table = home.resolve("noise/results.csv");
    Files.writeString(table, Files.readString(table).replace("5 %", "6 %"));
    assertRefused("results.csv: row 3: noise has no row 'PerFlow-50', 'poisson', '6 %'");
    Files.writeString(table, Files.readString(table).replace("rel_l1,", "wrong,"));
    assertRefused("there is no column 'rel_l1'");
    assertThrows(IllegalArgumentException.class, () -> KeptTable.redraw(home, List.of(Study.UQ)));
  }

  private void assertRefused(String why) {
    FileFormatException e =
        assertThrows(FileFormatException.class, () -> KeptTable.redraw(home, List.of(Study.NOISE)));
    assertTrue(e.getMessage().contains(why), e.getMessage());
  }

  private static void copied(Study study, Path from, Path to) throws IOException {
    Path directory = Files.createDirectories(to.resolve(study.toString()));
    for (String name : List.of("results.csv", "configuration.json")) {
      Files.copy(from.resolve(study.toString()).resolve(name), directory.resolve(name));
    }
  }
}
