package io.perflow;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How {@code ./gradlew} gets the pinned Gradle: from a server that plays the distribution's. */
class PinnedGradleTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  @TempDir private Path directory;

  private final byte[] zip = distribution();
  private final AtomicInteger requests = new AtomicInteger();
  private HttpServer server;
  private int missing; // bytes at the end that the server promises and does not send

  @BeforeEach
  void serve() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  @Test
  void itIsFetchedOnceAndRun() throws Exception {
    checkout(sha256());
    String first = gradlew();
    assertTrue(first.contains("pinned -PjdkHome="), first);
    assertTrue(gradlew().contains("pinned "));
    assertEquals(1, requests.get());
    assertEquals(List.of("perflow"), kept());
  }

  @Test
  void twoAtOnceShareOne() throws Exception {
    checkout(sha256());
    Process one = start();
    Process two = start();
    assertTrue(output(one).contains("pinned "));
    assertTrue(output(two).contains("pinned "));
    assertEquals(List.of("perflow"), kept());
    assertEquals(
        List.of("gradle-9.9.9", "gradle-9.9.9-bin.zip.ok"), names(dists().resolve("perflow")));
  }

  @Test
  void anotherChecksumIsRefused() throws Exception {
    checkout("0".repeat(64));
    String said = gradlew();
    assertTrue(said.contains("has the SHA-256 " + sha256()), said);
    assertTrue(said.contains("installed "), said);
    assertEquals(List.of(), kept());
  }

  @Test
  void aTransferThatBreaksOffLeavesNothing() throws Exception {
    missing = 100;
    checkout(sha256());
    String said = gradlew();
    assertTrue(said.contains("cannot be fetched") && said.contains("installed "), said);
    assertEquals(List.of(), kept());
  }

  @Test
  void aMachineWithoutTheNetworkIsAskedOnceADay() throws Exception {
    checkout(sha256());
    server.stop(0);
    assertTrue(gradlew().contains("cannot be fetched"));
    String again = gradlew();
    assertTrue(again.contains("installed ") && !again.contains("fetch"), again);
  }

  @Test
  void aGradleThatIsNamedComesFirst() throws Exception {
    checkout(sha256());
    String named = directory.resolve("bin/gradle").toString();
    assertTrue(output(start(Map.of("PERFLOW_GRADLE", named))).contains("installed "));
    assertEquals(0, requests.get());
  }

  @Test
  void theProjectPinsADistributionAndItsChecksum() throws IOException {
    String properties = Files.readString(ROOT.resolve("gradle/wrapper/gradle-wrapper.properties"));
    assertTrue(
        properties.matches("(?s).*\ndistributionUrl=https\\\\://\\S+/gradle-[\\d.]+-bin.zip\n.*"));
    assertTrue(properties.matches("(?s).*\ndistributionSha256Sum=[0-9a-f]{64}\n.*"));
  }

  private void answer(HttpExchange exchange) throws IOException {
    requests.incrementAndGet();
    exchange.sendResponseHeaders(200, zip.length);
    exchange.getResponseBody().write(Arrays.copyOf(zip, zip.length - missing));
    exchange.close();
  }

  /** What gradlew needs of a checkout, and a gradle that is installed. */
  private void checkout(String checksum) throws IOException {
    for (String file : List.of("gradlew", "gradle/jdk.sh", "gradle/pinned.sh")) {
      Path copy = directory.resolve(file);
      Files.createDirectories(copy.getParent());
      Files.copy(ROOT.resolve(file), copy);
    }
    int port = server.getAddress().getPort();
    Files.writeString(
        Files.createDirectories(directory.resolve("gradle/wrapper"))
            .resolve("gradle-wrapper.properties"),
        "distributionSha256Sum=%s\ndistributionUrl=http\\://127.0.0.1\\:%d/gradle-9.9.9-bin.zip\n"
            .formatted(checksum, port));
    Path installed = Files.createDirectories(directory.resolve("bin")).resolve("gradle");
    Files.writeString(installed, "#!/bin/sh\necho installed \"$@\"\n");
    assertTrue(installed.toFile().setExecutable(true));
  }

  private String gradlew() throws Exception {
    return output(start());
  }

  private Process start() throws IOException {
    return start(Map.of());
  }

  private Process start(Map<String, String> more) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder("/bin/sh", directory.resolve("gradlew").toString(), "hello")
            .redirectErrorStream(true);
    Map<String, String> environment = builder.environment();
    environment.clear();
    environment.put("PATH", directory.resolve("bin") + ":/usr/bin:/bin");
    environment.put("HOME", directory.resolve("home").toString());
    environment.put("PERFLOW_JAVA_HOME", System.getProperty("java.home"));
    environment.putAll(more);
    return builder.start();
  }

  private static String output(Process process) throws Exception {
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertTrue(process.waitFor(5, TimeUnit.MINUTES), said);
    assertEquals(0, process.exitValue(), said);
    return said;
  }

  private Path dists() {
    return directory.resolve("home/.gradle/wrapper/dists/gradle-9.9.9-bin");
  }

  private List<String> kept() throws IOException {
    assertFalse(Files.notExists(dists()));
    return names(dists());
  }

  private static List<String> names(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  private String sha256() throws GeneralSecurityException {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(zip));
  }

  private static byte[] distribution() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ZipOutputStream out = new ZipOutputStream(bytes)) {
      out.putNextEntry(new ZipEntry("gradle-9.9.9/bin/gradle"));
      out.write("#!/bin/sh\necho pinned \"$@\"\n".getBytes(UTF_8));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return bytes.toByteArray();
  }
}
