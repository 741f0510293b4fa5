package io.perflow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.solver.Benchmark;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

class BenchSamplingCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private List<String> lines(String device) {
    String[] args =
        "bench sampling --preset tiny --size 16 --calls 1 --device %s".formatted(device).split(" ");
    int code = Main.run(new PrintWriter(out, true), new PrintWriter(err, true), Screen.NONE, args);
    assertEquals(0, code, err.toString());
    return out.toString().lines().toList();
  }

  @Test
  void everyBenchmarkIsTimedWithPhysicsAndWithout() {
    List<String> lines = lines("cpu");
    assertEquals(1 + Benchmark.all().size(), lines.size(), out.toString());
    assertTrue(lines.get(1).matches("burgers( +[0-9.]+){3}"), lines.get(1));
  }

  @Test
  void onAGpuLaunchesAndBytesAreCounted() {
    List<String> lines = lines("emulated");
    String count = "  %s: [1-9]\\d* launches, [0-9.]+ MB of operands, 0 bytes up, 0 bytes down";
    assertTrue(lines.get(2).matches(count.formatted("projected")), lines.get(2));
    assertTrue(lines.get(3).matches(count.formatted("plain")), lines.get(3));
  }
}
