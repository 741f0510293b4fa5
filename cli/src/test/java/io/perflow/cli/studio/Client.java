package io.perflow.cli.studio;

import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Json;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Asks a server as the page does. */
final class Client {
  private final HttpClient http = HttpClient.newHttpClient();
  private final String url;

  Client(String url) {
    this.url = url;
  }

  HttpResponse<String> get(String path) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(URI.create(url + path)).build();
    return http.send(request, HttpResponse.BodyHandlers.ofString());
  }

  HttpResponse<byte[]> bytes(String path) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(URI.create(url + path)).build();
    return http.send(request, HttpResponse.BodyHandlers.ofByteArray());
  }

  HttpResponse<String> post(String path, String body) throws IOException, InterruptedException {
    return http.send(posted(path, body), HttpResponse.BodyHandlers.ofString());
  }

  private HttpRequest posted(String path, String body) {
    return HttpRequest.newBuilder(URI.create(url + path))
        .POST(HttpRequest.BodyPublishers.ofString(body))
        .build();
  }

  /** The answer to a call that must succeed. */
  Map<String, Object> ask(String call, Map<String, Object> content)
      throws IOException, InterruptedException {
    HttpResponse<String> answer = post("api/" + call, Json.write(content));
    if (answer.statusCode() != 200) {
      throw new AssertionError(answer.body());
    }
    return Json.object(Json.parse(answer.body()), "answer");
  }

  /** The line of a call that must be refused. */
  String refused(String call, Map<String, Object> content)
      throws IOException, InterruptedException {
    HttpResponse<String> answer = post("api/" + call, Json.write(content));
    if (answer.statusCode() == 200) {
      throw new AssertionError("accepted: " + answer.body());
    }
    return line(answer);
  }

  static String line(HttpResponse<String> answer) throws FileFormatException {
    return Json.text(Json.object(Json.parse(answer.body()), "answer").get("error"), "error");
  }

  /** The events of a reconstruction as they come, one after another. */
  Stream<Map<String, Object>> events(Map<String, Object> study)
      throws IOException, InterruptedException {
    HttpResponse<Stream<String>> answer =
        http.send(
            posted("api/reconstruct", Json.write(study)), HttpResponse.BodyHandlers.ofLines());
    return answer
        .body()
        .map(
            text -> {
              try {
                return Json.object(Json.parse(text), "event");
              } catch (FileFormatException e) {
                throw new AssertionError(text, e);
              }
            });
  }

  List<Map<String, Object>> allEvents(Map<String, Object> study)
      throws IOException, InterruptedException {
    try (Stream<Map<String, Object>> events = events(study)) {
      return events.toList();
    }
  }

  /** A point sensor. */
  static Map<String, Object> sensor(int id, double row, double column, int... channels) {
    Map<String, Object> sensor = new LinkedHashMap<>();
    sensor.put("id", id);
    sensor.put("row", row);
    sensor.put("column", column);
    sensor.put("channels", channels);
    sensor.put("noise", 0.01);
    return sensor;
  }

  /** A study of field 0 with so many samples. */
  static Map<String, Object> study(
      Path model, String source, String method, int samples, List<Map<String, Object>> sensors) {
    Map<String, Object> study = new LinkedHashMap<>();
    study.put("page", "test");
    study.put("model", model.toString());
    if (source != null) {
      study.put("field", Map.of("source", source, "index", 0));
    }
    study.put("sensors", new ArrayList<>(sensors));
    study.put("methods", List.of(method));
    study.put("samples", samples);
    return study;
  }
}
