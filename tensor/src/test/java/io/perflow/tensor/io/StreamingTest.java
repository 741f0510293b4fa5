package io.perflow.tensor.io;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A large array takes little more heap than its own size, which a JVM with no more heap shows. */
class StreamingTest {
  private static final int ROWS = 1000;
  private static final int COLUMNS = 40_000; // 160 MB of F32
  private static final int HEAP_MB = 160 + 64;

  @TempDir Path directory;

  @Test
  void aLargeArrayFitsIntoASmallHeap() throws Exception {
    Path log = directory.resolve("log");
    Process process =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "--add-modules=jdk.incubator.vector",
                    "-Xmx" + HEAP_MB + "m",
                    "-Xmn24m",
                    "-XX:+UseSerialGC",
                    "-Dperflow.threads=1", // no worker that still holds the last array
                    "-cp",
                    System.getProperty("java.class.path"),
                    StreamingTest.class.getName(),
                    directory.toString()))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    if (!process.waitFor(60, TimeUnit.SECONDS)) {
      process.destroyForcibly();
    }
    assertEquals(0, process.waitFor(), Files.readString(log));
  }

  /** Writes in pieces, then carries the array through every format, one copy at a time. */
  public static void main(String[] args) throws IOException {
    Path npy = Path.of(args[0], "x.npy");
    try (ArrayWriter writer = Npy.writer(npy, DataType.F32, Shape.of(ROWS, COLUMNS))) {
      float[] row = new float[COLUMNS];
      for (int i = 0; i < ROWS; i++) {
        row[i] = i;
        writer.append(row);
      }
      writer.commit();
    }
    Path npz = Path.of(args[0], "x.npz");
    Npz.write(npz, Map.of("x", Npy.read(npy).transpose()));
    Files.delete(npy);
    Path safetensors = Path.of(args[0], "x.safetensors");
    try (Npz file = Npz.read(npz)) {
      SafeTensors.write(safetensors, Map.of("x", file.load("x")), Map.of());
    }
    Files.delete(npz);
    try (SafeTensors file = SafeTensors.read(safetensors)) {
      Tensor x = file.load("x"); // (columns, rows), entry (i, j) = i where j >= i
      double found = x.select(0, 7).slice(0, ROWS - 1, ROWS).item();
      if (found != 7) {
        throw new AssertionError("found " + found);
      }
    }
  }
}
