package io.perflow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.physics.Axis;
import io.perflow.physics.Problem;
import io.perflow.physics.Sensors;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.Npz;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Plausible mistakes and the line that answers each: it names the thing, the numbers that disagree
 * and the cure. The table {@code mistakes.txt} has the commands and the answers; {@code @} stands
 * for a directory of files that are good, foreign or damaged.
 */
class MistakeTableTest {
  private static final String HOME = "@";

  @TempDir static Path home;

  @BeforeAll
  static void files() throws IOException {
    write(home);
  }

  /** Writes the files that the table speaks of. */
  static void write(Path home) throws IOException {
    Plate.write(home);
    Path train = home.resolve("train.safetensors");
    Plate.readings(home);
    Shell.good(Plate.train(home, "--uncalibrated", "--out", home.resolve("run")));
    Files.move(home.resolve("run/best.safetensors"), home.resolve("model.safetensors"));
    Shell.good("train", home, "--system", "kriging", "--out", home.resolve("kriging"));
    Files.copy(home.resolve("kriging/best.safetensors"), home.resolve("prior.safetensors"));
    Problem other =
        Problem.named("room")
            .axis(Axis.of("y", 0, 1, 8).unit("m"))
            .axis(Axis.of("x", 0, 2, 12).unit("m"))
            .channel("T", "K")
            .channel("S")
            .sensors(Sensors.points(4, 6))
            .build();
    Plate.data(other, 12, 300).write(home.resolve("other.safetensors"));
    Plate.data(Plate.problem(), 1, 300).write(home.resolve("single.safetensors"));
    foreign(home);
    tables(home);
    Files.createDirectories(home.resolve("empty"));
    byte[] bytes = Files.readAllBytes(train);
    Files.write(home.resolve("cut.safetensors"), Arrays.copyOf(bytes, bytes.length / 2));
    bytes[bytes.length - 9] ^= 64;
    Files.write(home.resolve("flipped.safetensors"), bytes);
  }

  private static void foreign(Path home) throws IOException {
    Tensor good = Plate.data(Plate.problem(), 12, 300).fields();
    Tensor t = good.select(1, 0).contiguous();
    Tensor p = good.select(1, 1).contiguous();
    arrays(home.resolve("good.npz"), "T", t, "p", p);
    arrays(home.resolve("fields.npz"), "a", t, "b", p);
    arrays(home.resolve("cold.npz"), "T", t.sub(20), "p", p);
    Tensor narrow = t.slice(2, 0, 10).contiguous();
    arrays(home.resolve("sized.npz"), "T", narrow, "p", p.slice(2, 0, 10).contiguous());
    arrays(home.resolve("small.npz"), "T", t, "p", p.slice(0, 0, 5).contiguous());
    arrays(home.resolve("single.npz"), "T", t.slice(0, 0, 1), "p", p.slice(0, 0, 1));
    arrays(home.resolve("gaps.npz"), "T", with(Double.NaN, t), "p", p);
    arrays(home.resolve("infinite.npz"), "T", with(Double.POSITIVE_INFINITY, t), "p", p);
  }

  private static Tensor with(double number, Tensor x) {
    double[] numbers = x.toDoubles();
    numbers[7] = number;
    return Tensor.of(numbers, x.shape().toArray());
  }

  // in this order, since messages list what a file has
  private static void arrays(Path file, String a, Tensor first, String b, Tensor second)
      throws IOException {
    Map<String, Tensor> arrays = new LinkedHashMap<>();
    arrays.put(a, first);
    arrays.put(b, second);
    Npz.write(file, arrays);
  }

  private static void tables(Path home) throws IOException {
    Map<String, String> texts = new LinkedHashMap<>();
    texts.put("text.txt", "Dear colleague,\n");
    texts.put("blank.csv", "");
    texts.put("blank.json", "");
    texts.put("header.csv", "y,x,T,p\n");
    texts.put("names.csv", "y,x,temperature\n0.5,1,301\n");
    texts.put("outside.csv", "y,x,T\n0.5,2.5,301\n");
    texts.put("words.csv", "y,x,T\n0.5,1,warm\n");
    texts.put("short.csv", "y,x,T\n0.5,1\n");
    texts.put("semicolons.csv", "y;x;T\n0,5;1;301\n");
    texts.put("twice.csv", "y,x,T\n0.5,1,301\n0.5,1,305\n");
    texts.put("near.csv", "y,x,T\n0.5,1,301\n0.5,1.0000000001,305\n");
    texts.put("infinite.csv", "y,x,T\n0.5,1,inf\n");
    texts.put("large.csv", "y,x,T\n0.5,1,1e400\n");
    texts.put("absurd.csv", "y,x,T\n0.5,1,1e30\n");
    texts.put("leak.csv", "y,x,p\n0,0,7\n");
    texts.put("beyond.csv", "y,x,T\n1.000001,1,301\n");
    texts.put("millimetres.csv", "y [mm],x [mm],T\n500,1000,301\n");
    texts.put("columns.csv", "y,x,T,T\n0.5,1,301,302\n");
    texts.put("axes.csv", "y,x,x,T\n0.5,1,1,301\n");
    texts.put("commas.csv", "y,x,T\n0,5,1,0,301,2\n");
    texts.put("percent.csv", "y,x,T\n0.5,1,30%\n");
    texts.put("thousands.csv", "y,x,T\n0.5,1,\"1,301\"\n");
    texts.put("quote.csv", "y,x,T\n0.5,1,\"301\n");
    texts.put("nameless.csv", "0.5,1,301\n");
    texts.put("indices.csv", "row,column,T\n3,4,301\n");
    texts.put("quantity.csv", "y,x,quantity,value\n0.5,1,S,301\n");
    texts.put("sigma.csv", "y,x,T,sigma\n0.5,1,301,-1\n");
    texts.put("loud.csv", "y,x,T,sigma\n0.5,1,301,inf\n");
    texts.put("place.csv", "y,x\n0.5,1\n");
    for (Map.Entry<String, String> text : texts.entrySet()) {
      Files.writeString(home.resolve(text.getKey()), text.getValue());
    }
  }

  /** The line that answers a command. */
  static String answer(Path home, String command) {
    Object[] words =
        Arrays.stream(command.split(" "))
            .map(word -> word.replace(HOME + "/", home + "/"))
            .toArray();
    Shell.Result result = Shell.run(words);
    assertTrue(result.code() == 1 || result.code() == 2, () -> command + " was accepted");
    return result.err().strip().replace(home.toString(), HOME);
  }

  @Test
  void everyMistakeIsAnsweredByOneLine() throws IOException {
    Path table = Path.of("src/test/resources/io/perflow/cli/mistakes.txt");
    List<String> lines =
        Files.readAllLines(table).stream().filter(line -> !line.startsWith("#")).toList();
    List<String> wrong = new ArrayList<>();
    for (int i = 0; i + 1 < lines.size(); i += 3) {
      String command = lines.get(i).replaceFirst("^perflow ", "");
      String said = answer(home, command);
      if (!said.equals(lines.get(i + 1))) {
        wrong.add("%s%n%s%n".formatted(lines.get(i), said));
      }
    }
    assertEquals("", String.join("\n", wrong), "answers that differ from the table");
    assertFalse(Files.exists(home.resolve("no")), "a refused command leaves nothing behind");
  }
}
