package io.perflow.cli.studio;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Serves the page of {@code perflow studio} to the person at this machine: it listens on the
 * loopback interface only, and answers requests that know its token.
 */
public final class StudioServer implements AutoCloseable {
  private static final int TOKEN_BYTES = 16;

  private final HttpServer server;
  private final ExecutorService threads;
  private final Jobs jobs = new Jobs();
  private final String token;
  private final Guard guard;
  private final Desk desk;

  private StudioServer(HttpServer server, Library library) {
    this.server = server;
    byte[] random = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(random);
    token = HexFormat.of().formatHex(random);
    guard = new Guard(token, server.getAddress().getPort());
    desk = new Desk(library, jobs);
    threads =
        Executors.newCachedThreadPool(Thread.ofPlatform().daemon().name("studio-", 1).factory());
    server.setExecutor(threads);
    server.createContext("/", this::handle);
  }

  /**
   * Starts a server.
   *
   * @param port 0 for any that is free
   * @throws IOException when the port is taken
   */
  public static StudioServer start(Library library, int port) throws IOException {
    InetSocketAddress address =
        new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port);
    HttpServer server;
    try {
      server = HttpServer.create(address, 0);
    } catch (BindException e) {
      throw new IOException(
          "port %d is in use; choose another --port, or none for any that is free".formatted(port),
          e);
    }
    StudioServer studio = new StudioServer(server, library);
    server.start();
    return studio;
  }

  /** The address of the page, with the token. */
  public String url() {
    return "http://127.0.0.1:%d/%s/".formatted(server.getAddress().getPort(), token);
  }

  /** Cancels what is being computed and stops listening. */
  @Override
  public void close() {
    jobs.cancelAll();
    server.stop(0);
    threads.shutdown();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      try {
        answer(exchange);
      } catch (Refusal e) {
        refuse(exchange, e.status(), e.getMessage());
      } catch (IOException | IllegalArgumentException | ArithmeticException e) {
        refuse(exchange, 400, line(e));
      } catch (OutOfMemoryError e) {
        refuse(exchange, 500, memory());
      } catch (RuntimeException e) {
        refuse(exchange, 500, mistake(e));
      }
    }
  }

  private void answer(HttpExchange exchange) throws IOException {
    String path = guard.path(exchange);
    String method = exchange.getRequestMethod();
    if (!method.equals("GET") && !method.equals("POST")) {
      throw new Refusal(405, method + " is not answered; use GET or POST");
    }
    if (path.startsWith("api/")) {
      desk.answer(exchange, path.substring("api/".length()));
      return;
    }
    Optional<Assets.Asset> asset = Assets.find(path);
    if (asset.isEmpty()) {
      throw new Refusal(404, "there is no page here");
    }
    Reply.bytes(exchange, 200, asset.get().type(), asset.get().content());
  }

  private static void refuse(HttpExchange exchange, int status, String line) throws IOException {
    if (exchange.getResponseCode() < 0) { // else the answer has begun, and ends here
      Reply.json(exchange, status, Map.of("error", line));
    }
  }

  /** The message of an error in one line. */
  static String line(Exception e) {
    String message = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    return message.strip().replaceAll("\\s*\\R\\s*", "; ");
  }

  /** What is said of an error that should not be. */
  static String mistake(RuntimeException e) {
    return "a mistake in perflow studio: %s: %s".formatted(e.getClass().getSimpleName(), line(e));
  }

  static String memory() {
    return ("not enough memory: Java may use %d MB and needs more for this; start it with more, as"
            + " in PERFLOW_OPTS=-Xmx8g ./perflow studio, or choose a smaller model")
        .formatted(Runtime.getRuntime().maxMemory() >> 20);
  }
}
