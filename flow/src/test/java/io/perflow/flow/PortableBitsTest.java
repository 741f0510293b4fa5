package io.perflow.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.perflow.tensor.Device;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One vector width gives the same bits on processors that prefer different ones. */
class PortableBitsTest {
  @TempDir Path directory;

  /** Trains for two steps. */
  static final class Program {
    private Program() {}

    public static void main(String[] args) throws IOException {
      RectifiedFlow flow = Small.flow("burgers", FlowConfig.Prediction.CLEAN);
      TrainConfig config = TrainConfig.fast(2).batch(2);
      DataSource data = DataSource.of(flow.config().problem(), Small.fields(flow, 4), config);
      new Trainer(flow, data, config, Path.of(args[0])).train();
      System.out.println(Device.cpu().arithmetic());
    }
  }

  // the checkpoint
  private Path run(int number, String... flags) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--add-modules=jdk.incubator.vector");
    command.addAll(List.of(flags));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(Program.class.getName());
    command.add(directory.resolve("run" + number).toString());
    Path log = directory.resolve(number + ".txt");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    assertTrue(process.waitFor(3, TimeUnit.MINUTES), "does not end");
    String text = Files.readString(log);
    assertEquals(0, process.exitValue(), text);
    assertTrue(text.contains("vectors of 128 bits"), text);
    return directory.resolve("run" + number).resolve(Trainer.LAST);
  }

  @Test
  void aWidthThatAllHaveGivesTheSameBits() throws Exception {
    assumeTrue(System.getProperty("os.arch").equals("amd64"), "the flags are those of x86");
    Path own = run(1, "-Dperflow.vectorBits=128");
    assertEquals(-1, Files.mismatch(own, run(2, "-Dperflow.vectorBits=128", "-XX:UseAVX=2")));
    assertEquals(-1, Files.mismatch(own, run(3, "-Dperflow.vectorBits=128", "-XX:UseAVX=1")));
  }
}
