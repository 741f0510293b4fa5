package io.perflow.cli.studio;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;

/**
 * Lets in the page that was opened by the printed address and nobody else.
 *
 * <p>Other users of the machine, and other pages in the same browser, can reach a port of the
 * loopback interface. They do not know the token, which every path begins with. A page elsewhere
 * whose name was made to point to this machine sends its own name as Host, and its requests have
 * its own Origin: both are refused.
 */
final class Guard {
  private final byte[] token;
  private final List<String> hosts;

  Guard(String token, int port) {
    this.token = token.getBytes(StandardCharsets.US_ASCII);
    hosts = List.of("127.0.0.1:" + port, "localhost:" + port);
  }

  /**
   * The path behind the token, such as {@code api/models}.
   *
   * @throws Refusal when the request does not come from the page
   */
  String path(HttpExchange exchange) {
    Headers headers = exchange.getRequestHeaders();
    List<String> host = headers.getOrDefault("Host", List.of());
    if (host.size() != 1 || !hosts.contains(host.getFirst())) {
      throw new Refusal(403, "Host %s is not this server: it is %s".formatted(host, hosts));
    }
    for (String origin : headers.getOrDefault("Origin", List.of())) {
      if (!origin.equals("http://" + host.getFirst())) {
        throw new Refusal(
            403,
            "Origin %s may not ask this server; only http://%s may"
                .formatted(origin, host.getFirst()));
      }
    }
    String site = headers.getFirst("Sec-Fetch-Site");
    if (site != null && !site.equals("same-origin") && !site.equals("none")) {
      throw new Refusal(403, "a request from another site (%s) is not answered".formatted(site));
    }
    String asked = exchange.getRequestURI().getPath();
    String path = asked == null || asked.isEmpty() ? "/" : asked; // of "mailto:" and the like
    int end = path.indexOf('/', 1);
    byte[] given = path.substring(1, Math.max(1, end)).getBytes(StandardCharsets.UTF_8);
    if (end < 0 || !MessageDigest.isEqual(given, token)) {
      throw new Refusal(
          403, "the address lacks its token; open the address that perflow studio printed");
    }
    return path.substring(end + 1);
  }

  /**
   * The body of a request.
   *
   * @throws Refusal when it has more bytes than {@code most}
   */
  static byte[] body(HttpExchange exchange, int most) throws IOException {
    byte[] bytes = exchange.getRequestBody().readNBytes(most + 1);
    if (bytes.length > most) {
      throw new Refusal(
          413,
          "the request has more than %d bytes; send fewer sensors or readings".formatted(most));
    }
    return bytes;
  }
}
