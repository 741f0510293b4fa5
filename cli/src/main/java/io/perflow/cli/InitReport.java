package io.perflow.cli;

import io.perflow.flow.Trainer;
import io.perflow.interop.Suggestion;
import io.perflow.physics.DataResidual;
import io.perflow.physics.Moments;
import io.perflow.physics.Problem;
import io.perflow.physics.Quantity;
import io.perflow.physics.Sensors;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The report of {@link InitCommand} on what it understood of some files, for people and for
 * programs.
 *
 * @param sources the files
 * @param made the files that are written
 * @param moments the moments of all fields
 * @param residuals how well all fields obey their constraints
 * @param notes the assumptions
 * @param suggestions the properties that all fields have in common
 * @param directory the directory of the results
 */
record InitReport(
    List<Path> sources,
    InitFiles made,
    Moments moments,
    List<DataResidual> residuals,
    List<String> notes,
    List<Suggestion> suggestions,
    Path directory) {
  private static final int WIDTH = 88; // of a line, after its name

  private Problem problem() {
    return made.train().problem();
  }

  private int fields() {
    return made.train().size() + made.validation().size() + made.test().size();
  }

  // ---- for people

  void printTable(PrintWriter out) {
    Problem problem = problem();
    String from =
        sources.size() == 1
            ? sources.getFirst().toString()
            : "%d files from %s to %s"
                .formatted(sources.size(), sources.getFirst(), sources.getLast());
    line(out, sources.size() == 1 ? "file" : "files", from);
    line(
        out,
        "fields",
        "%d: %d to train, %d to validate, %d to test"
            .formatted(
                fields(), made.train().size(), made.validation().size(), made.test().size()));
    for (Quantity quantity : problem.quantities()) {
      line(out, "quantity", range(quantity));
    }
    line(out, "rows", problem.grid().rows().toString());
    line(out, "columns", problem.grid().columns().toString());
    problem.frames().ifPresent(frames -> line(out, "frames", frames.toString()));
    for (DataResidual residual : residuals) {
      line(out, "constraint", residual.toString());
    }
    if (residuals.isEmpty()) {
      line(out, "constraint", "none");
    }
    problem.symmetries().forEach(symmetry -> line(out, "symmetry", symmetry.toString()));
    line(out, "sensors", problem.sensors() + sharing());
    notes.forEach(note -> line(out, "note", note));
    suggestions.forEach(suggestion -> line(out, "suggestion", suggestion.toString()));
    out.flush();
  }

  private String range(Quantity quantity) {
    return String.format(
        Locale.ROOT,
        "%s from %.4g to %.4g, mean %.4g",
        quantity.label(),
        least(quantity),
        greatest(quantity),
        mean(quantity));
  }

  private String sharing() {
    if (problem().channelCount() == 1) {
      return "";
    }
    boolean frames = problem().frames().isPresent();
    return problem().sensors().sharing() == Sensors.Sharing.SHARED
        ? ", each reads " + (frames ? "all quantities at all frames" : "all quantities")
        : ", for each quantity" + (frames ? " and frame" : "");
  }

  // Lines are broken between words, so that they can be read in a terminal.
  private static void line(PrintWriter out, String name, String text) {
    StringBuilder rest = new StringBuilder(text);
    String label = name;
    while (rest.length() > WIDTH && rest.lastIndexOf(" ", WIDTH) > 0) {
      int end = rest.lastIndexOf(" ", WIDTH);
      TrainingPlan.line(out, label, rest.substring(0, end));
      rest.delete(0, end + 1);
      label = "";
    }
    TrainingPlan.line(out, label, rest.toString());
  }

  void printNext(PrintWriter out) {
    out.printf(
        "written to %s: %s, %s, %s, %s, %s%n",
        directory,
        InitCommand.PROBLEM,
        InitCommand.TRAIN,
        InitCommand.VALIDATION,
        InitCommand.TEST,
        InitCommand.READINGS);
    out.printf("%nNext, train a model, measure it on the test part, and try it on readings:%n");
    commands().forEach(command -> out.printf("  %s%n", command));
    out.flush();
  }

  private List<String> commands() {
    String model = path("run", Trainer.BEST);
    return List.of(
        "perflow train " + path(InitCommand.PROBLEM),
        "perflow evaluate --model %s --data %s".formatted(model, path(InitCommand.TEST)),
        "perflow reconstruct --model %s --observations %s --out %s"
            .formatted(model, path(InitCommand.READINGS), path("reconstruction")));
  }

  // Quotes a text so that a shell takes it for one word.
  private String path(String... names) {
    Path path = directory;
    for (String name : names) {
      path = path.resolve(name);
    }
    String text = path.toString();
    return text.matches("[\\p{L}\\p{N}_./+=:@%-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
  }

  // ---- for programs

  Map<String, Object> toJson() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("directory", directory.toString());
    json.put("problem", problem().toJson());
    json.put("training_fields", made.train().size());
    json.put("validation_fields", made.validation().size());
    json.put("test_fields", made.test().size());
    List<Object> quantities = new ArrayList<>();
    for (Quantity quantity : problem().quantities()) {
      Map<String, Object> each = new LinkedHashMap<>();
      each.put("name", quantity.name());
      each.put("least", least(quantity));
      each.put("greatest", greatest(quantity));
      each.put("mean", mean(quantity));
      quantities.add(each);
    }
    json.put("quantities", quantities);
    List<Object> measured = new ArrayList<>();
    for (DataResidual residual : residuals) {
      Map<String, Object> each = new LinkedHashMap<>();
      each.put("constraint", residual.constraint());
      each.put("residual", residual.physical());
      each.put("residual_normalized", residual.normalized());
      measured.add(each);
    }
    json.put("constraints", measured);
    json.put("notes", notes);
    json.put("suggestions", suggestions.stream().map(Suggestion::option).toList());
    json.put("commands", commands());
    return json;
  }

  private double least(Quantity quantity) {
    return Arrays.stream(channels(quantity)).mapToDouble(moments::least).min().orElseThrow();
  }

  private double greatest(Quantity quantity) {
    return Arrays.stream(channels(quantity)).mapToDouble(moments::greatest).max().orElseThrow();
  }

  private double mean(Quantity quantity) {
    return Arrays.stream(channels(quantity)).mapToDouble(moments::mean).average().orElseThrow();
  }

  private int[] channels(Quantity quantity) {
    return problem().select(quantity.name());
  }
}
