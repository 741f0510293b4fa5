package io.perflow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.Json;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Runs the command as a shell does, within this process. */
public final class Shell {
  private Shell() {}

  /** What a command left: its exit code, standard output and standard error. */
  public record Result(int code, String out, String err) {
    /** The JSON object that standard output must be, with nothing before or after it. */
    public Map<String, Object> json() throws FileFormatException {
      return Json.object(Json.parse(out), "standard output");
    }
  }

  public static Result run(Object... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    String[] texts = Stream.of(args).map(Object::toString).toArray(String[]::new);
    int code = Main.run(new PrintWriter(out, true), new PrintWriter(err, true), Screen.NONE, texts);
    return new Result(code, out.toString(), err.toString());
  }

  /** A command that must succeed. */
  public static Result good(Object... args) {
    Result result = run(args);
    assertEquals(0, result.code(), () -> result.err() + result.out());
    return result;
  }

  /** The one line, without its end, that a command must fail with. */
  public static String bad(Object... args) {
    Result result = run(args);
    assertNotEquals(0, result.code(), () -> "accepted: " + List.of(args));
    assertEquals(1, result.err().strip().lines().count(), result.err());
    return result.err().strip();
  }

  /** Arguments and more of them. */
  public static Object[] with(Object[] usual, Object... more) {
    return Stream.concat(Stream.of(usual), Stream.of(more)).toArray();
  }
}
