package io.perflow.nn.unet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.perflow.tensor.io.FileFormatException;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UNetConfigTest {
  @ParameterizedTest
  @ValueSource(strings = {"tiny", "periodic", "small", "base", "paper"})
  void jsonRoundTrip(String preset) throws IOException {
    UNetConfig config = UNetConfig.preset(preset);
    assertEquals(config, UNetConfig.parse(config.toJson()));
  }

  @Test
  void namesAreThoseOfTheDefinition() {
    assertEquals(
        "{\"in_channels\":3,\"out_channels\":2,\"patch\":2,\"widths\":[24,40],\"blocks\":1,"
            + "\"attention\":[true,false],\"heads\":2,\"groups\":4,\"time_width\":48,"
            + "\"periodic\":[false,true]}",
        UNetConfig.periodic().toJson().replace(" ", ""));
  }

  @Test
  void missingAndUnknownNamesAreListed() {
    var e =
        assertThrows(
            IllegalArgumentException.class,
            () -> UNetConfig.parse("{\"in_channels\": 3, \"width\": 4, \"depth\": 1}"));
    assertEquals(
        "[unet config] missing out_channels, patch, widths, blocks, attention, heads, groups,"
            + " time_width; unknown width, depth",
        e.getMessage());
    String text = UNetConfig.tiny().toJson();
    assertThrows(FileFormatException.class, () -> UNetConfig.parse(text.replace("[16", "[\"16\"")));
    assertThrows(
        IllegalArgumentException.class,
        () -> UNetConfig.parse(text.replace("}", ", \"periodic\": [true]}")));
    assertThrows(IllegalArgumentException.class, () -> UNetConfig.preset("huge"));
  }

  @Test
  void allMistakesAreListedAtOnce() {
    var e =
        assertThrows(
            IllegalArgumentException.class,
            () -> new UNetConfig(0, 1, 1, List.of(6, 10), 1, List.of(true), 4, 4, 0, false, false));
    assertEquals(
        "[unet config] in_channels 0 must be at least 1; time_width 0 must be at least 1; attention"
            + " has 1 entries for 2 levels; width 6 of level 0 is not a multiple of 4 groups; width"
            + " 6 of level 0 is not a multiple of 4 heads; width 10 of level 1 is not a multiple of"
            + " 4 groups; width 10 of level 1 is not a multiple of 4 heads",
        e.getMessage());
  }
}
