package io.perflow.nn.unet;

import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The configuration of a {@link UNet}. Its names in JSON are {@code in_channels}, {@code
 * out_channels}, {@code patch}, {@code widths}, {@code blocks}, {@code attention}, {@code heads},
 * {@code groups}, {@code time_width} and, when an axis is periodic, {@code periodic} ([height,
 * width]).
 *
 * @param inChannels channels of the input: state and condition, joined by the caller
 * @param outChannels channels of the output
 * @param patch side of the square of pixels that becomes one pixel of the stem
 * @param widths channels per level, from the finest
 * @param blocks residual blocks per level on the way down; one more on the way up
 * @param attention whether each level has attention after every residual block
 * @param heads heads of attention
 * @param groups groups of channels in the norms
 * @param timeWidth features of the time
 * @param periodicHeight whether the vertical axis wraps round
 * @param periodicWidth whether the horizontal axis wraps round
 */
public record UNetConfig(
    int inChannels,
    int outChannels,
    int patch,
    List<Integer> widths,
    int blocks,
    List<Boolean> attention,
    int heads,
    int groups,
    int timeWidth,
    boolean periodicHeight,
    boolean periodicWidth) {

  private static final Set<String> REQUIRED =
      new LinkedHashSet<>(
          List.of(
              "in_channels",
              "out_channels",
              "patch",
              "widths",
              "blocks",
              "attention",
              "heads",
              "groups",
              "time_width"));
  private static final String PERIODIC = "periodic";

  // Far beyond any network that was ever trained, and small enough to count its weights.
  private static final int MOST_CHANNELS = 1 << 14;
  private static final int MOST_BLOCKS = 256;
  private static final int MOST_LEVELS = 12;
  private static final int MOST_PATCH = 256;

  /**
   * Copies the lists and checks everything.
   *
   * @throws IllegalArgumentException listing all errors
   */
  public UNetConfig {
    widths = List.copyOf(widths);
    attention = List.copyOf(attention);
    List<String> wrong = new ArrayList<>();
    within(wrong, "in_channels", inChannels, MOST_CHANNELS);
    within(wrong, "out_channels", outChannels, MOST_CHANNELS);
    within(wrong, "patch", patch, MOST_PATCH);
    within(wrong, "blocks", blocks, MOST_BLOCKS);
    within(wrong, "heads", heads, MOST_CHANNELS);
    within(wrong, "groups", groups, MOST_CHANNELS);
    within(wrong, "time_width", timeWidth, MOST_CHANNELS);
    require(wrong, !widths.isEmpty(), "widths must name at least one level");
    require(
        wrong,
        widths.size() <= MOST_LEVELS,
        "widths name %d levels, at most %d",
        widths.size(),
        MOST_LEVELS);
    require(
        wrong,
        attention.size() == widths.size(),
        "attention has %d entries for %d levels",
        attention.size(),
        widths.size());
    checkWidths(wrong, widths, attention, heads, groups);
    if (!wrong.isEmpty()) {
      throw new IllegalArgumentException("[unet config] " + String.join("; ", wrong));
    }
  }

  private static void within(List<String> wrong, String name, int value, int most) {
    require(wrong, value >= 1, "%s %d must be at least 1", name, value);
    require(wrong, value <= most, "%s %d must be at most %d", name, value, most);
  }

  private static void checkWidths(
      List<String> wrong, List<Integer> widths, List<Boolean> attention, int heads, int groups) {
    for (int i = 0; i < widths.size(); i++) {
      int width = widths.get(i);
      require(
          wrong,
          width >= 1 && (groups < 1 || width % groups == 0),
          "width %d of level %d is not a multiple of %d groups",
          width,
          i,
          groups);
      require(
          wrong,
          width <= MOST_CHANNELS,
          "width %d of level %d must be at most %d",
          width,
          i,
          MOST_CHANNELS);
      // the deepest level always has attention in the middle
      boolean attends = i == widths.size() - 1 || i < attention.size() && attention.get(i);
      require(
          wrong,
          !attends || heads < 1 || width % heads == 0,
          "width %d of level %d is not a multiple of %d heads",
          width,
          i,
          heads);
    }
    int first = widths.isEmpty() ? 4 : widths.get(0);
    require(
        wrong,
        first >= 4 && first % 2 == 0,
        "width %d of level 0 must be even and at least 4 for the embedding of the time",
        first);
  }

  private static void require(List<String> wrong, boolean ok, String message, Object... args) {
    if (!ok) {
      wrong.add(message.formatted(args));
    }
  }

  // ---- presets

  /** For unit tests: two levels of 16 and 32 channels, from 3 channels to 1. */
  public static UNetConfig tiny() {
    return new UNetConfig(
        3, 1, 1, List.of(16, 32), 1, List.of(false, true), 2, 4, 32, false, false);
  }

  /** For unit tests: two levels on patches of 2x2, periodic along the width, 3 channels to 2. */
  public static UNetConfig periodic() {
    return new UNetConfig(3, 2, 2, List.of(24, 40), 1, List.of(true, false), 2, 4, 48, false, true);
  }

  /** Three levels of 32 to 128 channels on patches of 2x2: trains on a CPU. */
  public static UNetConfig small() {
    return new UNetConfig(
        3, 1, 2, List.of(32, 64, 128), 2, List.of(false, false, true), 4, 8, 128, false, false);
  }

  /** Four levels of 32 to 128 channels at full resolution. */
  public static UNetConfig base() {
    return new UNetConfig(
        3,
        1,
        1,
        List.of(32, 64, 128, 128),
        2,
        List.of(false, false, false, true),
        4,
        8,
        256,
        false,
        false);
  }

  /** Four levels of 64 to 512 channels, 6 channels to 2: the size of the paper, for GPUs. */
  public static UNetConfig paper() {
    return new UNetConfig(
        6,
        2,
        1,
        List.of(64, 128, 256, 512),
        2,
        List.of(false, false, false, true),
        4,
        8,
        256,
        false,
        false);
  }

  /**
   * A preset by its name.
   *
   * @throws IllegalArgumentException listing the names when there is none
   */
  public static UNetConfig preset(String name) {
    return switch (name) {
      case "tiny" -> tiny();
      case "periodic" -> periodic();
      case "small" -> small();
      case "base" -> base();
      case "paper" -> paper();
      default ->
          throw new IllegalArgumentException(
              "no preset %s; there are tiny, periodic, small, base, paper".formatted(name));
    };
  }

  /**
   * A network of these levels, from the finest; attention on the deepest, two blocks per level, no
   * patches, 1 channel to 1.
   */
  public static UNetConfig of(Integer... widths) {
    List<Boolean> attention = new ArrayList<>(Collections.nCopies(widths.length, false));
    if (widths.length > 0) {
      attention.set(widths.length - 1, true);
    }
    int time = widths.length == 0 ? 1 : 2 * widths[0];
    return new UNetConfig(1, 1, 1, List.of(widths), 2, attention, 4, 8, time, false, false);
  }

  // ---- the same with one thing changed

  /** This with other numbers of channels. */
  public UNetConfig channels(int in, int out) {
    return with(
        v -> {
          v.inChannels = in;
          v.outChannels = out;
        });
  }

  /** This on patches of another side. */
  public UNetConfig patch(int side) {
    return with(v -> v.patch = side);
  }

  /** This with another number of residual blocks per level. */
  public UNetConfig blocks(int count) {
    return with(v -> v.blocks = count);
  }

  /** This with attention on other levels, given for each level. */
  public UNetConfig attention(Boolean... onLevels) {
    return with(v -> v.attention = List.of(onLevels));
  }

  /** This with another number of heads of attention. */
  public UNetConfig heads(int count) {
    return with(v -> v.heads = count);
  }

  /** This with another number of groups in the norms. */
  public UNetConfig groups(int count) {
    return with(v -> v.groups = count);
  }

  /** This with another number of features of the time. */
  public UNetConfig timeWidth(int features) {
    return with(v -> v.timeWidth = features);
  }

  /** This with other periodic axes. */
  public UNetConfig periodic(boolean height, boolean width) {
    return with(
        v -> {
          v.periodicHeight = height;
          v.periodicWidth = width;
        });
  }

  private UNetConfig with(Consumer<Values> change) {
    Values values = new Values(this);
    change.accept(values);
    return values.config();
  }

  /** A mutable copy of the components. */
  private static final class Values {
    int inChannels;
    int outChannels;
    int patch;
    final List<Integer> widths;
    int blocks;
    List<Boolean> attention;
    int heads;
    int groups;
    int timeWidth;
    boolean periodicHeight;
    boolean periodicWidth;

    Values(UNetConfig config) {
      inChannels = config.inChannels;
      outChannels = config.outChannels;
      patch = config.patch;
      widths = config.widths;
      blocks = config.blocks;
      attention = config.attention;
      heads = config.heads;
      groups = config.groups;
      timeWidth = config.timeWidth;
      periodicHeight = config.periodicHeight;
      periodicWidth = config.periodicWidth;
    }

    UNetConfig config() {
      return new UNetConfig(
          inChannels,
          outChannels,
          patch,
          widths,
          blocks,
          attention,
          heads,
          groups,
          timeWidth,
          periodicHeight,
          periodicWidth);
    }
  }

  // ---- JSON

  /** Reads a JSON file. */
  public static UNetConfig read(Path file) throws IOException {
    Object json = Json.read(file);
    try {
      return of(Json.object(json, "config"));
    } catch (IllegalArgumentException | FileFormatException e) { // which do not know the file
      throw new FileFormatException(file.toString(), null, e.getMessage(), e);
    }
  }

  /** Reads a JSON text. */
  public static UNetConfig parse(String json) throws IOException {
    return of(Json.object(Json.parse(json), "config"));
  }

  /**
   * From the values of a JSON object.
   *
   * @throws IllegalArgumentException listing names that are missing or unknown, or what is wrong
   * @throws IOException when a value is of the wrong kind
   */
  public static UNetConfig of(Map<String, Object> json) throws IOException {
    Set<String> missing = new LinkedHashSet<>(REQUIRED);
    missing.removeAll(json.keySet());
    Set<String> unknown = new LinkedHashSet<>(json.keySet());
    unknown.removeAll(REQUIRED);
    unknown.remove(PERIODIC);
    if (!missing.isEmpty() || !unknown.isEmpty()) {
      throw new IllegalArgumentException(
          "[unet config]"
              + (missing.isEmpty() ? "" : " missing " + String.join(", ", missing))
              + (missing.isEmpty() || unknown.isEmpty() ? "" : ";")
              + (unknown.isEmpty() ? "" : " unknown " + String.join(", ", unknown)));
    }
    List<Integer> widths = new ArrayList<>();
    for (Object width : Json.list(json.get("widths"), "widths")) {
      widths.add(Json.integer(width, "widths", Integer.MIN_VALUE, Integer.MAX_VALUE));
    }
    List<Boolean> attention = flags(json, "attention");
    List<Boolean> periodic =
        json.containsKey(PERIODIC) ? flags(json, PERIODIC) : List.of(false, false);
    if (periodic.size() != 2) {
      throw new IllegalArgumentException(
          "[unet config] periodic must be [height, width], found " + periodic);
    }
    return new UNetConfig(
        integer(json, "in_channels"),
        integer(json, "out_channels"),
        integer(json, "patch"),
        widths,
        integer(json, "blocks"),
        attention,
        integer(json, "heads"),
        integer(json, "groups"),
        integer(json, "time_width"),
        periodic.get(0),
        periodic.get(1));
  }

  private static int integer(Map<String, Object> json, String name) throws IOException {
    return Json.integer(json.get(name), name, Integer.MIN_VALUE, Integer.MAX_VALUE);
  }

  private static List<Boolean> flags(Map<String, Object> json, String name) throws IOException {
    List<Boolean> flags = new ArrayList<>();
    for (Object flag : Json.list(json.get(name), name)) {
      flags.add(Json.flag(flag, name));
    }
    return flags;
  }

  /** The JSON text on one line. */
  public String toJson() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("in_channels", inChannels);
    json.put("out_channels", outChannels);
    json.put("patch", patch);
    json.put("widths", widths);
    json.put("blocks", blocks);
    json.put("attention", attention);
    json.put("heads", heads);
    json.put("groups", groups);
    json.put("time_width", timeWidth);
    if (periodicHeight || periodicWidth) {
      json.put(PERIODIC, List.of(periodicHeight, periodicWidth));
    }
    return Json.write(json);
  }

  /**
   * The number of weights of a {@link UNet} with this configuration, counted without building it,
   * so that a file whose configuration needs more weights than it holds is refused at once.
   */
  public long parameters() {
    int levels = widths.size();
    long pixels = (long) patch * patch;
    long c = widths.getFirst();
    long sum = dense(c, timeWidth) + dense(timeWidth, timeWidth) + conv(inChannels * pixels, c);
    for (int i = 0; i < levels; i++) {
      long w = widths.get(i);
      for (int j = 0; j < blocks; j++) {
        sum += block(j == 0 ? c : w, w) + (attention.get(i) ? attention(w) : 0);
      }
      sum += i < levels - 1 ? conv(w, w) : 0;
      c = w;
    }
    sum += 2 * block(c, c) + attention(c);
    for (int i = levels - 1; i >= 0; i--) {
      long w = widths.get(i);
      for (int j = 0; j <= blocks; j++) {
        long skip = j < blocks ? w : widths.get(Math.max(0, i - 1));
        sum += block((j == 0 ? c : w) + skip, w) + (attention.get(i) ? attention(w) : 0);
      }
      sum += i > 0 ? conv(w, w) : 0;
      c = w;
    }
    return sum + 2 * c + conv(c, outChannels * pixels);
  }

  private static long dense(long in, long out) {
    return in * out + out;
  }

  private static long conv(long in, long out) {
    return 9 * in * out + out;
  }

  private long block(long in, long out) {
    long norms = 2 * in + 2 * out;
    long shortcut = in == out ? 0 : dense(in, out);
    return norms + conv(in, out) + dense(timeWidth, 2 * out) + conv(out, out) + shortcut;
  }

  private static long attention(long width) {
    return 2 * width + dense(width, 3 * width) + dense(width, width);
  }

  /** Heights and widths of images must be multiples of this. */
  public int multiple() {
    return patch << (widths.size() - 1);
  }
}
