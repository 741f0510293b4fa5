package io.perflow.tensor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Isolated("changes the locale")
class NamedTest {
  private enum Option {
    PLAIN,
    IN_TWO_WORDS
  }

  @ParameterizedTest
  @EnumSource
  void aNameIsReadAsItIsWritten(Option option) {
    assertEquals(option, Named.parse(Option.class, Named.of(option), "option"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"in-two-words", "in_two_words", "IN_TWO_WORDS", "In-Two_words"})
  void caseAndHyphensAreFree(String text) {
    assertEquals(Option.IN_TWO_WORDS, Named.parse(Option.class, text, "option"));
  }

  // Turkish has a dotless capital for i
  @Test
  void theLanguageOfTheMachineIsNotAsked() {
    Locale before = Locale.getDefault();
    try {
      Locale.setDefault(Locale.of("tr"));
      assertEquals("plain", Named.of(Option.PLAIN));
      assertEquals(Option.PLAIN, Named.parse(Option.class, "plain", "option"));
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void unknownNamesListAllThatAreKnown() {
    var e =
        assertThrows(
            IllegalArgumentException.class, () -> Named.parse(Option.class, "two", "option"));
    assertEquals("option 'two' is unknown: choose one of plain, in-two-words", e.getMessage());
  }
}
