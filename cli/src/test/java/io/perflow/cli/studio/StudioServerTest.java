package io.perflow.cli.studio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who is let in, and what every answer says. */
class StudioServerTest {
  @TempDir static Path home;
  private static StudioServer server;
  private static Client client;
  private static URI url;

  @BeforeAll
  static void start() throws IOException {
    TinyModels.write(home);
    server = StudioServer.start(TinyModels.library(home), 0);
    client = new Client(server.url());
    url = URI.create(server.url());
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  // HttpClient does not let a program set Host
  private static String raw(String request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), url.getPort())) {
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      socket.shutdownOutput();
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static String request(String path, String... headers) throws IOException {
    return raw(
        "GET %s HTTP/1.1\r\nConnection: close\r\n%s\r\n\r\n"
            .formatted(path, String.join("\r\n", headers)));
  }

  private static String host() {
    return "Host: 127.0.0.1:" + url.getPort();
  }

  @Test
  void thePageLoadsNothingFromElsewhere() throws Exception {
    HttpResponse<String> page = client.get("");
    assertEquals(200, page.statusCode());
    assertTrue(page.body().contains("<title>perflow studio</title>"));
    String policy = page.headers().firstValue("Content-Security-Policy").orElseThrow();
    assertTrue(policy.startsWith("default-src 'none'; script-src 'self'"), policy);
    assertFalse(policy.contains("http"), policy);
    assertEquals("nosniff", page.headers().firstValue("X-Content-Type-Options").orElseThrow());
    assertEquals("no-referrer", page.headers().firstValue("Referrer-Policy").orElseThrow());
    for (String asset : new String[] {"studio.css", "main.js", "board.js", "icon.svg"}) {
      HttpResponse<String> file = client.get(asset);
      assertEquals(200, file.statusCode(), asset);
      // the name of SVG's language is no address that is loaded
      String text = file.body().replace("http://www.w3.org/2000/svg", "");
      assertFalse(text.contains("http://") || text.contains("https://"), asset);
    }
  }

  @Test
  void theTokenIsRequired() throws IOException {
    assertTrue(url.getPath().matches("/[0-9a-f]{32}/"), url.getPath());
    for (String path : new String[] {"/", "/main.js", "/api/models", "/0123/api/models"}) {
      String answer = request(path, host());
      assertTrue(answer.startsWith("HTTP/1.1 403"), path + answer);
      assertTrue(answer.contains("lacks its token"), answer);
    }
    try (StudioServer other = StudioServer.start(TinyModels.library(home), 0)) {
      assertNotEquals(URI.create(other.url()).getPath(), url.getPath());
    }
  }

  @Test
  void itListensOnLoopbackOnly() {
    assertEquals("127.0.0.1", url.getHost());
  }

  @Test
  void otherHostsAreRefused() throws IOException {
    for (String name : new String[] {"evil.example", "127.0.0.1", "127.0.0.1:1"}) {
      String answer = request(url.getPath(), "Host: " + name);
      assertTrue(answer.startsWith("HTTP/1.1 403"), answer);
      assertTrue(answer.contains("is not this server"), answer);
    }
    assertTrue(request(url.getPath(), host()).startsWith("HTTP/1.1 200"));
    String local = "Host: localhost:" + url.getPort();
    assertTrue(request(url.getPath(), local).startsWith("HTTP/1.1 200"));
  }

  @Test
  void otherOriginsAreRefused() throws IOException {
    String own = "Origin: http://127.0.0.1:" + url.getPort();
    String path = url.getPath() + "api/models";
    assertTrue(request(path, host(), own).startsWith("HTTP/1.1 200"));
    for (String origin : new String[] {"http://evil.example", "null", "http://127.0.0.1:1"}) {
      String answer = request(path, host(), "Origin: " + origin);
      assertTrue(answer.startsWith("HTTP/1.1 403"), answer);
      assertTrue(answer.contains("may not ask this server"), answer);
    }
    String site = request(path, host(), "Sec-Fetch-Site: cross-site");
    assertTrue(site.startsWith("HTTP/1.1 403"), site);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"nothing.js", "..%2f..%2fgradle.properties", "Guard.class", "api/nothing", "x/"})
  void thereIsNothingElse(String path) throws Exception {
    HttpResponse<String> answer = client.get(path);
    assertEquals(404, answer.statusCode());
    assertEquals(1, Client.line(answer).lines().count());
  }

  @Test
  void otherMethodsAreRefused() throws IOException {
    String answer =
        raw(
            "DELETE %s HTTP/1.1\r\n%s\r\nConnection: close\r\n\r\n"
                .formatted(url.getPath(), host()));
    assertTrue(answer.startsWith("HTTP/1.1 405"), answer);
  }

  @Test
  void bodiesAreLimited() throws Exception {
    HttpResponse<String> answer = client.post("api/open", "x".repeat(2_000_001));
    assertEquals(413, answer.statusCode());
    assertTrue(Client.line(answer).contains("more than 2000000 bytes"), answer.body());
  }

  @Test
  void mistakesAreOneLine() throws Exception {
    for (String body : new String[] {"", "{", "[]", "{\"page\": 1}", "{\"page\": \"../x\"}"}) {
      HttpResponse<String> answer = client.post("api/open", body);
      assertEquals(400, answer.statusCode(), body);
      assertEquals(1, Client.line(answer).lines().count());
    }
    HttpResponse<String> model = client.post("api/open", "{\"page\":\"a\",\"model\":\"none\"}");
    assertTrue(
        Client.line(model).startsWith("there is no model 'none'; there are ["), model.body());
  }

  @Test
  void aPortInUseIsNamed() {
    IOException taken =
        assertThrows(
            IOException.class,
            () -> StudioServer.start(TinyModels.library(home), url.getPort()).close());
    assertTrue(taken.getMessage().contains("port " + url.getPort() + " is in use"));
  }
}
