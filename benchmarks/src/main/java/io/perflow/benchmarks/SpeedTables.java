package io.perflow.benchmarks;

import io.perflow.tensor.io.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/**
 * The tables of speed in README.md, docs/speed.md and docs/cluster.md, made from the timings in
 * {@code benchmarks/results}. Each table stands between {@code <!-- speed: name -->} and {@code
 * <!-- end -->}.
 */
public final class SpeedTables {
  private static final String OPERATIONS = "pytorch-ops.json";
  private static final String CLUSTER = "cluster.json";

  private final Path root;

  private SpeedTables(Path root) {
    this.root = root;
  }

  /** Returns those of a checkout. */
  static SpeedTables of(Path root) {
    return new SpeedTables(root);
  }

  /** Writes the tables into the pages of the given checkout. */
  public static void main(String[] args) throws IOException {
    SpeedTables tables = of(Path.of(args[0]));
    for (Path page : tables.pages()) {
      Files.writeString(page, tables.updated(page));
    }
  }

  List<Path> pages() {
    return List.of(
        root.resolve("README.md"), root.resolve("docs/speed.md"), root.resolve("docs/cluster.md"));
  }

  /** Returns a page with its tables made from the results. */
  String updated(Path page) throws IOException {
    StringBuilder text = new StringBuilder();
    String rest = Files.readString(page);
    for (int at; (at = rest.indexOf("<!-- speed: ")) >= 0; ) {
      int open = rest.indexOf(" -->\n", at);
      int close = rest.indexOf("<!-- end -->", at);
      if (open < 0 || close < open) {
        throw new IOException(page + ": a table of speed has no end");
      }
      text.append(rest, 0, open + " -->\n".length());
      text.append(table(rest.substring(at + "<!-- speed: ".length(), open)));
      rest = rest.substring(close);
    }
    return text + rest;
  }

  private String table(String name) throws IOException {
    return switch (name) {
      case "families" -> families();
      case "operations" -> operations();
      case "networks" -> networks();
      case "onnx" -> onnx();
      case "double" -> doubles();
      case "cluster" -> ClusterTables.measured(rows(CLUSTER)) + measured(CLUSTER);
      case "cluster-model" -> ClusterTables.model(rows(CLUSTER));
      default -> throw new IOException("no table of speed is named " + name);
    };
  }

  private String families() throws IOException {
    Map<String, List<List<Map<?, ?>>>> families = new LinkedHashMap<>();
    for (List<Map<?, ?>> pair : byThreads(rows(OPERATIONS)).values()) {
      String family = (String) pair.getFirst().get("family");
      families.computeIfAbsent(family, _ -> new ArrayList<>()).add(pair);
    }
    StringBuilder text =
        new StringBuilder("| operations | 1 thread | 2 threads |\n|---|---|---|\n");
    families.forEach(
        (family, pairs) ->
            text.append(
                "| %s (%d) | %s | %s |%n"
                    .formatted(family, pairs.size(), range(pairs, 0), range(pairs, 1))));
    return text + measured(OPERATIONS);
  }

  private static String range(List<List<Map<?, ?>>> pairs, int threads) {
    double[] sorted =
        pairs.stream().mapToDouble(pair -> number(pair.get(threads), "worst")).sorted().toArray();
    String low = ratio(sorted[0]);
    String high = ratio(sorted[sorted.length - 1]);
    return low.equals(high) ? low : low + " – " + high;
  }

  private String operations() throws IOException {
    StringBuilder text =
        new StringBuilder(
            "| operation | ms, 1 thread | PyTorch | ratio | ms, 2 threads | PyTorch | ratio |\n");
    text.append("|---|---|---|---|---|---|---|\n");
    byThreads(rows(OPERATIONS))
        .forEach(
            (name, pair) -> {
              text.append("| ").append(name);
              for (Map<?, ?> row : pair) {
                text.append(" | ").append(millis(number(row, "perflow_ms")));
                text.append(" | ").append(millis(number(row, "torch_ms")));
                text.append(" | ").append(ratio(number(row, "worst")));
              }
              text.append(" |\n");
            });
    return text + measured(OPERATIONS);
  }

  private static Map<String, List<Map<?, ?>>> byThreads(List<Map<?, ?>> rows) {
    Map<String, List<Map<?, ?>>> result = new LinkedHashMap<>();
    for (Map<?, ?> row : rows) {
      result.computeIfAbsent((String) row.get("name"), _ -> new ArrayList<>()).add(row);
    }
    return result;
  }

  private String networks() throws IOException {
    return lines(
        "pytorch-unet.json",
        "| network | batch | forward, ms | PyTorch | ratio | forward and backward, ms | PyTorch |"
            + " ratio |",
        row ->
            "| %s | %.0f | %s | %s | %s | %s | %s | %s |"
                .formatted(
                    row.get("network"),
                    number(row, "batch"),
                    millis(number(row, "forward_ms")),
                    millis(number(row, "torch_forward_ms")),
                    ratio(number(row, "forward_worst")),
                    millis(number(row, "train_ms")),
                    millis(number(row, "torch_train_ms")),
                    ratio(number(row, "train_worst"))));
  }

  private String onnx() throws IOException {
    return lines(
        "onnx.json",
        "| network | batch | threads | ms | ONNX Runtime | ratio |",
        row ->
            "| %s | %.0f | %.0f | %s | %s | %s |"
                .formatted(
                    row.get("network"),
                    number(row, "batch"),
                    number(row, "threads"),
                    millis(number(row, "perflow_ms")),
                    millis(number(row, "onnx_ms")),
                    ratio(number(row, "onnx_ms") / number(row, "perflow_ms"))));
  }

  private String doubles() throws IOException {
    String file = "jmh-double.json";
    Map<String, Map<String, Double>> sizes = new LinkedHashMap<>();
    for (Map<?, ?> row : rows(file)) {
      String name = ((String) row.get("benchmark")).replace("DoubleBenchmark.", "");
      sizes
          .computeIfAbsent((String) row.get("size"), _ -> new LinkedHashMap<>())
          .put(name, number(row, "gflop"));
    }
    StringBuilder text =
        new StringBuilder(
            "| size | product | EJML | F32 | Cholesky | EJML | solve 1 | EJML | solve 100 | EJML"
                + " |\n");
    text.append("|---|---|---|---|---|---|---|---|---|---|\n");
    String[] columns = {
      "product",
      "productEjml",
      "productF32",
      "cholesky",
      "choleskyEjml",
      "solveOne",
      "solveOneEjml",
      "solveMany",
      "solveManyEjml"
    };
    sizes.forEach(
        (size, speeds) -> {
          text.append("| ").append(size);
          for (String column : columns) {
            text.append(" | ").append(String.format(Locale.ROOT, "%.1f", speeds.get(column)));
          }
          text.append(" |\n");
        });
    return text + measured(file);
  }

  private String lines(String file, String head, Function<Map<?, ?>, String> line)
      throws IOException {
    StringBuilder text = new StringBuilder(head).append('\n');
    text.append("|---".repeat((int) head.chars().filter(c -> c == '|').count() - 1)).append("|\n");
    for (Map<?, ?> row : rows(file)) {
      text.append(line.apply(row)).append('\n');
    }
    return text + measured(file);
  }

  private Map<?, ?> result(String file) throws IOException {
    return (Map<?, ?>) Json.read(root.resolve("benchmarks/results").resolve(file));
  }

  private List<Map<?, ?>> rows(String file) throws IOException {
    List<Map<?, ?>> rows = new ArrayList<>();
    for (Object row : (List<?>) result(file).get("rows")) {
      rows.add((Map<?, ?>) row);
    }
    return rows;
  }

  private String measured(String file) throws IOException {
    Map<?, ?> result = result(file);
    String torch = result.containsKey("torch") ? ", PyTorch " + result.get("torch") : "";
    return "%nMeasured on %s: %s, %s, %.0f cores, JDK %s%s; `benchmarks/results/%s`.%n"
        .formatted(
            result.get("date"),
            result.get("processor"),
            result.get("simd"),
            number(result, "cores"),
            result.get("jdk"),
            torch,
            file);
  }

  static double number(Map<?, ?> row, String field) {
    return ((Number) row.get(field)).doubleValue();
  }

  private static String millis(double value) {
    return String.format(Locale.ROOT, value < 1 ? "%.3f" : value < 10 ? "%.2f" : "%.1f", value);
  }

  private static String ratio(double value) {
    return String.format(Locale.ROOT, value < 10 ? "%.2f" : "%.0f", value);
  }
}
