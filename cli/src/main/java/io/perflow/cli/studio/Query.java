package io.perflow.cli.studio;

import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** The part of an address behind the question mark. */
final class Query {
  private Query() {}

  static Map<String, String> of(URI address) {
    Map<String, String> found = new LinkedHashMap<>();
    String text = address.getRawQuery() == null ? "" : address.getRawQuery();
    for (String part : text.split("&", -1)) {
      int at = part.indexOf('=');
      if (at > 0) {
        found.put(decoded(part.substring(0, at)), decoded(part.substring(at + 1)));
      }
    }
    return found;
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }
}
