package io.perflow.cli.studio;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import io.perflow.tensor.io.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Answers to requests. All forbid the browser to load anything from elsewhere. */
final class Reply {
  static final String JSON = "application/json";

  private static final Map<String, String> HEADERS =
      Map.of(
          "Content-Security-Policy",
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:;"
              + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
          "X-Content-Type-Options",
          "nosniff",
          "Referrer-Policy",
          "no-referrer",
          "Cache-Control",
          "no-store",
          "Cross-Origin-Opener-Policy",
          "same-origin",
          "Cross-Origin-Resource-Policy",
          "same-origin");

  private Reply() {}

  private static void headers(HttpExchange exchange, String type) {
    Headers headers = exchange.getResponseHeaders();
    HEADERS.forEach(headers::set);
    headers.set("Content-Type", type);
  }

  /** A whole answer. */
  static void bytes(HttpExchange exchange, int status, String type, byte[] content)
      throws IOException {
    headers(exchange, type);
    exchange.sendResponseHeaders(status, content.length == 0 ? -1 : content.length);
    if (content.length > 0) {
      exchange.getResponseBody().write(content);
    }
  }

  static void json(HttpExchange exchange, int status, Object value) throws IOException {
    bytes(exchange, status, JSON, Json.write(value).getBytes(StandardCharsets.UTF_8));
  }

  /** A file for the person to keep. */
  static void file(HttpExchange exchange, String name, String type, byte[] content)
      throws IOException {
    exchange
        .getResponseHeaders()
        .set("Content-Disposition", "attachment; filename=\"" + name + "\"");
    bytes(exchange, 200, type, content);
  }

  /** An answer that is written bit by bit, a line of JSON after another. */
  static OutputStream lines(HttpExchange exchange) throws IOException {
    headers(exchange, "application/x-ndjson");
    exchange.sendResponseHeaders(200, 0);
    return exchange.getResponseBody();
  }
}
