package io.perflow.nn.unet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.tensor.Rng;
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

  @Test
  void weightsAreCountedWithoutBuildingTheNetwork() {
    List<UNetConfig> all =
        List.of(
            UNetConfig.tiny(),
            UNetConfig.periodic(),
            UNetConfig.small(),
            UNetConfig.base(),
            UNetConfig.of(8, 16, 24, 8).blocks(3).attention(true, false, true, false).patch(3));
    for (UNetConfig config : all) {
      assertEquals(
          UNet.of(config, Rng.of(1)).parameterCount(), config.parameters(), config.toString());
    }
  }

  /** A line of text must not be able to ask for a machine's whole memory, or for hours. */
  @Test
  void sizesBeyondAllUseAreRefused() {
    String text =
        """
        {"in_channels": 1, "out_channels": 1, "patch": 1, "widths": [%s], "blocks": %s,
         "attention": [true], "heads": 4, "groups": 4, "time_width": 64}
        """;
    assertRefused("blocks 100000 must be at most 256", text.formatted("64", "100000"));
    assertRefused(
        "width 1073741824 of level 0 must be at most 16384", text.formatted("1073741824", "1"));
    assertRefused(
        "widths must be an integer from -2147483648 to 2147483647, found 4294967312",
        text.formatted("4294967312", "1"));
    var e =
        assertThrows(
            IllegalArgumentException.class,
            () -> UNet.of(UNetConfig.parse(text.formatted("16384", "256")), Rng.of(1)));
    assertTrue(e.getMessage().contains("weights, which take"), e.getMessage());
  }

  private static void assertRefused(String message, String json) {
    var e = assertThrows(Exception.class, () -> UNetConfig.parse(json));
    assertTrue(e.getMessage().contains(message), e.getMessage());
  }
}
