package io.perflow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SpellingTest {
  private static final List<String> KNOWN = List.of("--model", "--modes", "--data", "--noise");

  @Test
  void neighboursThatChangedPlacesAreOneMistake() {
    assertEquals(1, Spelling.distance("--modle", "--model"));
    assertEquals(3, Spelling.distance("kitten", "sitting"));
    assertEquals(4, Spelling.distance("", "data"));
  }

  @Test
  void theNearestWordIsMeant() {
    assertEquals(Optional.of("--model"), Spelling.nearest("--modle", KNOWN));
    assertEquals(Optional.of("--noise"), Spelling.nearest("--nois", KNOWN));
    assertEquals(Optional.empty(), Spelling.nearest("--temperature", KNOWN));
  }
}
