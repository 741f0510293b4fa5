package io.perflow.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;

/**
 * A program that runs JMH with its own command line and keeps a row for every number that it
 * prints.
 */
public final class Jmh {
  private Jmh() {}

  /** Runs JMH; the arguments are the file for the rows, and then the arguments of JMH. */
  public static void main(String[] args)
      throws IOException, RunnerException, CommandLineOptionException {
    String[] options = Arrays.copyOfRange(args, 1, args.length);
    List<Map<String, Object>> rows = new ArrayList<>();
    for (RunResult run : new Runner(new CommandLineOptions(options)).run()) {
      rows.add(row(run));
    }
    Evidence.write(Path.of(args[0]), rows);
  }

  private static Map<String, Object> row(RunResult run) {
    String name = run.getParams().getBenchmark();
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("benchmark", name.substring(name.lastIndexOf('.', name.lastIndexOf('.') - 1) + 1));
    run.getParams().getParamsKeys().forEach(key -> row.put(key, run.getParams().getParam(key)));
    Result<?> primary = run.getPrimaryResult();
    row.put("score", primary.getScore());
    row.put("unit", primary.getScoreUnit());
    run.getSecondaryResults().forEach((key, result) -> row.put(key, result.getScore()));
    return row;
  }
}
