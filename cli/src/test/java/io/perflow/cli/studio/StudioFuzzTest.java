package io.perflow.cli.studio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.cli.Forgery;
import io.perflow.tensor.io.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Requests that no page sends: forged bodies behind the right token, and damaged bytes. Each is
 * answered in words or cut off, none is the server's mistake, and the page goes on.
 */
class StudioFuzzTest {
  private static final int BODIES = 400;
  private static final int REQUESTS = 400;
  private static final int PATIENCE = 20_000; // milliseconds
  private static final Pattern RAW =
      Pattern.compile("a mistake in perflow studio|Exception|java\\.|Cannot invoke|: null");

  @TempDir static Path home;
  private static StudioServer server;
  private static URI url;

  @BeforeAll
  static void start() throws IOException {
    TinyModels.write(home);
    server = StudioServer.start(TinyModels.library(home), 0);
    url = URI.create(server.url());
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  // what comes back until the server closes the connection; empty when it does not like the request
  private static String answer(byte[] request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), url.getPort())) {
      socket.setSoTimeout(PATIENCE);
      socket.getOutputStream().write(request);
      socket.shutdownOutput();
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (SocketTimeoutException e) {
      throw new AssertionError("no answer to " + new String(request, StandardCharsets.UTF_8), e);
    } catch (IOException e) { // reset, since it did not read all that was sent
      return "";
    }
  }

  private static byte[] posted(String call, String body) {
    byte[] content = body.getBytes(StandardCharsets.UTF_8);
    String head =
        ("POST %sapi/%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: %d\r\n"
                + "Connection: close\r\n\r\n")
            .formatted(url.getPath(), call, url.getPort(), content.length);
    return (head + body).getBytes(StandardCharsets.UTF_8);
  }

  private static void inWords(String answer, String request) {
    if (answer.contains("<h1>")) {
      return; // of the JDK's server, which has refused the request before it came to ours
    }
    assertFalse(RAW.matcher(answer).find(), () -> request + "\n" + answer);
    assertFalse(answer.startsWith("HTTP/1.1 500"), () -> request + "\n" + answer);
  }

  private static List<Map.Entry<String, Object>> sound() {
    Map<String, Object> study =
        Client.study(
            home.resolve("models/heat.safetensors"),
            null,
            "kriging",
            1,
            List.of(measured(1, 3, 4, 300), measured(2, 9.5, 12, 301)));
    Map<String, Object> asked = new LinkedHashMap<>(study);
    asked.put("wanted", Client.sensor(7, 2, 2, 0));
    Map<String, Object> known = new LinkedHashMap<>(study);
    known.put("field", Map.of("source", "standard", "index", 0));
    known.put("sensors", List.of(Client.sensor(1, 3, 4, 0)));
    List<Map.Entry<String, Object>> calls = new ArrayList<>();
    calls.add(Map.entry("open", study));
    calls.add(Map.entry("reconstruct", study));
    calls.add(Map.entry("reconstruct", known));
    calls.add(Map.entry("suggest", asked));
    calls.add(Map.entry("field", known));
    return calls;
  }

  private static Map<String, Object> measured(int id, double row, double column, double value) {
    Map<String, Object> sensor = Client.sensor(id, row, column, 0);
    sensor.put("values", List.of(value));
    sensor.put("sigmas", List.of(0.5));
    return sensor;
  }

  @Test
  void forgedBodiesAreAnsweredInWords() throws IOException {
    int refused = 0;
    for (int number = 0; number < BODIES; number++) {
      Map.Entry<String, Object> call = sound().get(number % sound().size());
      String body = new Forgery(number).json(Json.write(call.getValue()));
      String answer = answer(posted(call.getKey(), body));
      inWords(answer, call.getKey() + " " + body);
      refused += answer.startsWith("HTTP/1.1 4") ? 1 : 0;
    }
    assertTrue(refused > BODIES / 4, refused + " refused");
    alive();
  }

  @Test
  void forgedTablesAreAnsweredInWords() throws IOException {
    String model = home.resolve("models/heat.safetensors").toString();
    for (int number = 0; number < BODIES; number++) {
      String table = new Forgery(number).table("y,x,T,sigma\n0.2,0.3,300,0.1\n0.7,0.5,301,\n");
      String answer = answer(posted("readings?name=mine.csv&model=" + model, table));
      inWords(answer, table);
      assertTrue(answer.startsWith("HTTP/1.1 "), table);
    }
    alive();
  }

  /** Bytes before any token was seen. */
  @Test
  void damagedRequestsDisturbNobody() throws IOException {
    String request =
        ("GET %sapi/models?page=a&method=kriging HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
                + "Accept: */*\r\nConnection: close\r\n\r\n")
            .formatted(url.getPath(), url.getPort());
    String[] targets = {
      "mailto:a", "*", "http://127.0.0.1", "//", "/%", "/%00/", "?", "http://[", "/a/../../b"
    };
    for (String target : targets) {
      String forged = request.replaceFirst("GET \\S+", "GET " + target);
      inWords(answer(forged.getBytes(StandardCharsets.ISO_8859_1)), forged);
    }
    Random random = new Random(1);
    for (int number = 0; number < REQUESTS; number++) {
      byte[] bytes = request.getBytes(StandardCharsets.ISO_8859_1);
      for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      }
      inWords(answer(bytes), new String(bytes, StandardCharsets.ISO_8859_1));
    }
    alive();
  }

  private static void alive() throws IOException {
    String page =
        "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n\r\n"
            .formatted(url.getPath(), url.getPort());
    assertEquals("HTTP/1.1 200", answer(page.getBytes(StandardCharsets.UTF_8)).substring(0, 12));
  }
}
