package demo;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.perflow.flow.Estimate;
import io.perflow.flow.PriorModel;
import io.perflow.flow.Reconstruction;
import io.perflow.physics.Readings;
import io.perflow.tensor.Cancellation;
import io.perflow.tensor.Rng;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A server that answers {@code POST /temperature}, whose body has a line {@code y,x,T} for each
 * thermometer, with the temperature at the middle of the plate. Requests share one model.
 */
final class TemperatureServer implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final PriorModel model;
  private final HttpServer server;
  // As many requests at once as there are cores: more would only cost memory.
  private final ExecutorService requests =
      Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());

  TemperatureServer(PriorModel model) throws IOException {
    this.model = model;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/temperature", this::handle);
    server.setExecutor(requests);
    server.start();
  }

  URI address() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/temperature");
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      try {
        reply(exchange, 200, answer(body));
      } catch (CancellationException e) {
        reply(exchange, 503, e.getMessage());
      } catch (IllegalArgumentException e) { // the request is wrong
        reply(exchange, 400, e.getMessage());
      }
    }
  }

  private String answer(String table) {
    Readings.Builder readings = Readings.of(model.problem());
    for (String line : table.lines().toList()) {
      String[] cells = line.split(",");
      if (cells.length != 3) {
        throw new IllegalArgumentException("a line is y,x,T, and this is one: " + line);
      }
      double temperature = Double.parseDouble(cells[2]);
      readings.at("T", temperature, Double.parseDouble(cells[0]), Double.parseDouble(cells[1]));
    }
    try (Cancellation _ = Cancellation.after(LIMIT)) {
      Reconstruction found = Reconstruction.of(model.sampler(), readings.build(), 20, Rng.of(1));
      Estimate middle = found.at("T", 0.5, 0.5);
      return String.format(
          Locale.ROOT, "{\"T\": %.0f, \"deviation\": %.0f}", middle.mean(), middle.deviation());
    }
  }

  private static void reply(HttpExchange exchange, int status, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  @Override
  public void close() {
    server.stop(0);
    requests.close();
  }
}
