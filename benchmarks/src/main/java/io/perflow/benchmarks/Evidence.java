package io.perflow.benchmarks;

import io.perflow.tensor.io.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The files of timings: rows of numbers, and the machine and the day on which they were measured.
 */
public final class Evidence {
  private Evidence() {}

  /** Writes rows with the processor, the JDK and the date. */
  public static void write(Path file, List<Map<String, Object>> rows) throws IOException {
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("processor", cpu("model name") + ", family " + cpu("cpu family"));
    result.put("simd", cpu("flags").contains("avx512f") ? "AVX-512" : "at most AVX2");
    result.put("cores", Runtime.getRuntime().availableProcessors());
    result.put("jdk", Runtime.version().toString());
    result.put("date", LocalDate.now().toString());
    result.put("rows", rows);
    Files.writeString(file, Json.pretty(result));
  }

  private static String cpu(String field) throws IOException {
    Path info = Path.of("/proc/cpuinfo");
    if (!Files.exists(info)) {
      return "unknown";
    }
    try (Stream<String> lines = Files.lines(info)) {
      return lines
          .filter(line -> line.startsWith(field + "\t"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse("unknown");
    }
  }
}
