package io.perflow.flow;

import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Json;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * A comparison that describes in words how the metadata of a file differ from the expected ones.
 */
final class Differences {
  private static final int LONGEST = 60; // the length of a value in a message

  private Differences() {}

  /**
   * Compares two texts, member by member where both are JSON objects.
   *
   * @return differences such as {@code problem.sensors.points 30, not 20}; none when the texts are
   *     the same
   */
  static List<String> of(String name, String then, String now) {
    List<String> found = new ArrayList<>();
    compare(name, parsed(then), parsed(now), found);
    return found;
  }

  private static void compare(String name, Object then, Object now, List<String> found) {
    if (then instanceof Map<?, ?> before && now instanceof Map<?, ?> after) {
      Set<Object> members = new LinkedHashSet<>(after.keySet());
      members.addAll(before.keySet());
      for (Object member : members) {
        String path = name.isEmpty() ? member.toString() : name + "." + member;
        compare(path, before.get(member), after.get(member), found);
      }
    } else if (!Objects.equals(then, now)) {
      found.add("%s %s, not %s".formatted(name, brief(then), brief(now)));
    }
  }

  // A text that is not JSON can only be compared as a whole.
  private static Object parsed(String text) {
    try {
      return text == null ? null : Json.parse(text);
    } catch (FileFormatException e) {
      return text;
    }
  }

  private static String brief(Object value) {
    String text = value == null ? "absent" : value.toString();
    return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "…";
  }
}
