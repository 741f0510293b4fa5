package io.perflow.cli.studio;

import com.sun.net.httpserver.HttpExchange;
import io.perflow.cli.figure.ColorMap;
import io.perflow.physics.Readings;
import io.perflow.physics.prior.Sensing;
import io.perflow.tensor.Named;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;

/** Answers what the page asks. */
final class Desk {
  private static final int MOST_JSON = 2_000_000;
  private static final int MOST_TABLE = 4_000_000;

  private final Library library;
  private final Jobs jobs;
  private final Results results = new Results();

  Desk(Library library, Jobs jobs) {
    this.library = library;
    this.jobs = jobs;
  }

  void answer(HttpExchange exchange, String call) throws IOException {
    boolean posted = exchange.getRequestMethod().equals("POST");
    switch (posted ? "POST " + call : call) {
      case "models" -> Reply.json(exchange, 200, models());
      case "alive" -> Reply.json(exchange, 200, Map.of());
      case "table", "arrays", "figure" -> download(exchange, call);
      case "POST open" -> Reply.json(exchange, 200, open(json(exchange)));
      case "POST field" -> Reply.json(exchange, 200, field(json(exchange)));
      case "POST readings" -> Reply.json(exchange, 200, readings(exchange));
      case "POST suggest" -> Reply.json(exchange, 200, suggest(json(exchange)));
      case "POST reconstruct" -> reconstruct(exchange);
      default ->
          throw new Refusal(
              404, "%s api/%s is unknown".formatted(exchange.getRequestMethod(), call));
    }
  }

  private static Map<String, Object> json(HttpExchange exchange) throws IOException {
    byte[] body = Guard.body(exchange, MOST_JSON);
    return Json.object(Json.parse(new String(body, StandardCharsets.UTF_8), "request"), "request");
  }

  private static String page(Map<String, Object> asked) throws FileFormatException {
    String page = Json.text(asked.get("page"), "page");
    if (!page.matches("[0-9a-zA-Z-]{1,64}")) {
      throw new Refusal(400, "the name of a page has 1 to 64 letters and digits");
    }
    return page;
  }

  private Opened opened(Map<String, Object> asked) throws IOException {
    return library.open(Json.text(asked.get("model"), "model"));
  }

  private Map<String, Object> models() {
    Map<String, Object> colors = new LinkedHashMap<>();
    for (ColorMap map : ColorMap.values()) {
      colors.put(Named.of(map), map.colors());
    }
    return Map.of("models", library.toJson(), "colors", colors);
  }

  private Map<String, Object> open(Map<String, Object> asked) throws IOException {
    jobs.begin(page(asked)); // what the page was doing is of no use any more
    return opened(asked).toJson();
  }

  private Map<String, Object> field(Map<String, Object> asked) throws IOException {
    Tensor truth = opened(asked).truths().field(FieldName.fromJson(asked.get("field")));
    return Map.of("truth", Events.encoded(truth));
  }

  // ---- readings of a person's own

  private Map<String, Object> readings(HttpExchange exchange) throws IOException {
    Map<String, String> query = Query.of(exchange.getRequestURI());
    Opened opened = library.open(query.getOrDefault("model", ""));
    byte[] table = Guard.body(exchange, MOST_TABLE);
    Path file = Files.createTempFile("readings", ".csv");
    try {
      Files.write(file, table);
      Readings read = Readings.read(file, opened.problem());
      List<Object> sensors = new ArrayList<>();
      for (Sensor sensor : MeasuredSensors.of(read)) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("id", sensor.id());
        json.put("row", sensor.row());
        json.put("column", sensor.column());
        json.put("channels", sensor.channels());
        json.put("values", sensor.values());
        json.put("sigmas", sensor.sigmas());
        sensors.add(json);
      }
      List<String> notes = new ArrayList<>(read.notes());
      notes.addAll(read.warnings());
      return Map.of("sensors", sensors, "notes", notes);
    } catch (FileFormatException e) {
      // the person knows the table by its own name
      String name = query.getOrDefault("name", "the table").replaceAll("[^\\w. -]", "_");
      throw new FileFormatException(null, null, e.getMessage().replace(file.toString(), name), e);
    } finally {
      Files.deleteIfExists(file);
    }
  }

  // ---- sensors

  private Map<String, Object> suggest(Map<String, Object> asked) throws IOException {
    Opened opened = opened(asked);
    Study study = Study.fromJson(asked, opened.problem());
    Sensor wanted = Sensor.fromJson(asked.get("wanted"), opened.problem());
    if (wanted.values().length > 0) {
      throw new Refusal(400, "a suggestion is for a sensor without a value");
    }
    Tensor nothing = Tensor.zeros(opened.problem().batch(1).toArray());
    // what a place is worth depends on where sensors are, not on what they read
    Readings there =
        SensorReadings.of(opened.problem(), opened.normalization(), nothing, study.sensors(), 1);
    return jobs.turn(
        new Job(), () -> Suggestion.of(opened, Sensing.of(there, opened.normalization()), wanted));
  }

  // ---- reconstructions

  private void reconstruct(HttpExchange exchange) throws IOException {
    Map<String, Object> asked = json(exchange);
    String page = page(asked);
    Job job = jobs.begin(page);
    Opened opened = opened(asked);
    Study study = Study.fromJson(asked, opened.problem());
    for (Method method : study.methods()) {
      if (!method.suits(opened.model())) {
        throw new Refusal(
            400,
            "%s has no %s; it has %s"
                .formatted(opened.model().file(), method, Method.of(opened.model())));
      }
    }
    Tensor truth = study.field() == null ? null : opened.truths().field(study.field());
    Readings readings =
        SensorReadings.of(
            opened.problem(), opened.normalization(), truth, study.sensors(), study.seed());
    results.begin(page, readings, truth);
    try (OutputStream out = Reply.lines(exchange)) {
      stream(page, opened, study, readings, job, new Events(out));
    } finally {
      jobs.end(page, job);
    }
  }

  private void stream(
      String page, Opened opened, Study study, Readings readings, Job job, Events events) {
    try {
      Map<String, Object> begun = new LinkedHashMap<>();
      begun.put("readings", readings.size());
      begun.put("notes", readings.notes());
      begun.put("commands", Commands.of(opened.model(), study));
      events.send("begun", begun);
      new Run(opened, library.device(), study, readings, job, jobs, events)
          .go((method, made) -> results.add(page, readings, method, made));
      events.send("done", Map.of());
    } catch (CancellationException e) {
      events.send("cancelled", Map.of());
    } catch (UncheckedIOException e) {
      job.cancel(); // the page is gone, and nobody is left to tell
    } catch (IllegalArgumentException | ArithmeticException e) {
      events.send("error", Map.of("message", StudioServer.line(e)));
    } catch (OutOfMemoryError e) {
      events.send("error", Map.of("message", StudioServer.memory()));
    } catch (RuntimeException e) {
      events.send("error", Map.of("message", StudioServer.mistake(e)));
    }
  }

  // ---- downloads

  private void download(HttpExchange exchange, String what) throws IOException {
    Map<String, String> query = Query.of(exchange.getRequestURI());
    String page = query.getOrDefault("page", "");
    Results.Download file;
    if (what.equals("table")) {
      file = results.table(page);
    } else {
      Method method = Named.parse(Method.class, query.getOrDefault("method", ""), "method");
      file = what.equals("arrays") ? results.arrays(page, method) : results.figure(page, method);
    }
    Reply.file(exchange, file.name(), file.type(), file.content());
  }
}
