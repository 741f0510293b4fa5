package io.perflow.cli.studio;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Optional;

/** The files of the page, from the resources of this package; no other name is looked up. */
final class Assets {
  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "js", "text/javascript; charset=utf-8",
          "svg", "image/svg+xml");

  private static final String NAME = "[a-z]+\\.(html|css|js|svg)";

  private Assets() {}

  record Asset(String type, byte[] content) {}

  /** The file of a path behind the token; the empty one is the page. */
  static Optional<Asset> find(String path) throws IOException {
    String name = path.isEmpty() ? "index.html" : path;
    if (!name.matches(NAME)) {
      return Optional.empty();
    }
    try (InputStream in = Assets.class.getResourceAsStream(name)) {
      if (in == null) {
        return Optional.empty();
      }
      String type = TYPES.get(name.substring(name.indexOf('.') + 1));
      return Optional.of(new Asset(type, in.readAllBytes()));
    }
  }
}
