package io.perflow.benchmarks;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import io.perflow.nn.Initializer;
import io.perflow.nn.Layer;
import io.perflow.nn.onnx.OnnxExport;
import io.perflow.nn.operator.FactorizedFno;
import io.perflow.nn.operator.Fno;
import io.perflow.nn.unet.UNet;
import io.perflow.nn.unet.UNetConfig;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Settings;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * A comparison of forward passes here with those of ONNX Runtime on the exported network, in one
 * process.
 *
 * <p>Both take turns and the best call of each counts, so that other work on the machine, which
 * comes and goes, affects both alike. JMH measures one after the other and would compare two
 * moments. For one thread the CPU time is measured, which other work lengthens little.
 */
public final class OnnxComparison {
  private static final int SIZE = 64; // pixels along a side
  private static final Rng RNG = Rng.of(1);

  private OnnxComparison() {}

  /** A call that is timed. */
  private interface Call {
    void run() throws OrtException;
  }

  /**
   * Prints a line per network, batch and number of threads, and writes them to a file.
   *
   * @param args rounds of calls; the file
   */
  public static void main(String[] args) throws OrtException, IOException {
    int rounds = Integer.parseInt(args[0]);
    List<Map<String, Object>> rows = new ArrayList<>();
    System.out.println(
        "network      batch threads  perflow ms  ONNX Runtime ms  ratio  difference");
    for (Map.Entry<String, Layer> network : networks().entrySet()) {
      for (int batch : new int[] {1, 4}) {
        for (int threads : new int[] {1, 2}) {
          rows.add(compare(network.getKey(), network.getValue(), batch, threads, rounds));
        }
      }
    }
    Evidence.write(Path.of(args[1]), rows);
  }

  private static Map<String, Layer> networks() {
    Map<String, Layer> networks = new LinkedHashMap<>();
    for (String preset : new String[] {"tiny", "small", "base"}) {
      UNet net = UNet.of(UNetConfig.preset(preset), RNG.split(preset));
      Initializer.nonZero(net, RNG.split("values"));
      networks.put("unet " + preset, net);
    }
    networks.put("fno", Fno.of2d(3, 1).build(RNG));
    networks.put("f-fno", FactorizedFno.of(3, 1).layers(8).build(RNG));
    return networks;
  }

  private static Map<String, Object> compare(
      String name, Layer net, int batch, int threads, int rounds) throws OrtException {
    boolean timed = net instanceof UNet;
    Tensor x = RNG.split("x").normal(Shape.of(batch, 3, SIZE, SIZE));
    Tensor t = RNG.split("t").uniform(Shape.of(batch));
    OnnxExport export = OnnxExport.of(net).input("x", 3, SIZE, SIZE);
    byte[] model = (timed ? export.input("t") : export).toBytes();
    Settings.threads(threads);
    OrtEnvironment environment = OrtEnvironment.getEnvironment();
    try (OrtSession.SessionOptions options = options(threads);
        OrtSession session = environment.createSession(model, options);
        OnnxTensor state = tensor(environment, x);
        OnnxTensor time = tensor(environment, t)) {
      Map<String, OnnxTensor> inputs = timed ? Map.of("x", state, "t", time) : Map.of("x", state);
      Tensor[] own = timed ? new Tensor[] {x, t} : new Tensor[] {x};
      double[] best =
          best(
              rounds,
              threads == 1 ? OnnxComparison::processorTime : System::nanoTime,
              () -> {
                try (Scope _ = Scope.open()) {
                  net.run(own);
                }
              },
              () -> session.run(inputs).close());
      double difference = difference(net.run(own), session, inputs);
      System.out.printf(
          Locale.ROOT,
          "%-12s %5d %7d %11.2f %16.2f %6.2f %11.1e%n",
          name,
          batch,
          threads,
          best[0],
          best[1],
          best[0] / best[1],
          difference);
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("network", name);
      row.put("batch", batch);
      row.put("threads", threads);
      row.put("perflow_ms", best[0]);
      row.put("onnx_ms", best[1]);
      row.put("difference", difference);
      return row;
    }
  }

  private static OrtSession.SessionOptions options(int threads) throws OrtException {
    OrtSession.SessionOptions options = new OrtSession.SessionOptions();
    options.setIntraOpNumThreads(threads);
    // Threads that wait for work in a loop would take the cores from the other's calls.
    options.addConfigEntry("session.intra_op.allow_spinning", "0");
    return options;
  }

  private static OnnxTensor tensor(OrtEnvironment environment, Tensor x) throws OrtException {
    long[] shape = Arrays.stream(x.shape().toArray()).asLongStream().toArray();
    return OnnxTensor.createTensor(environment, FloatBuffer.wrap(x.toFloats()), shape);
  }

  // The CPU time of this thread, on which both compute when they have but one.
  private static long processorTime() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  /** Returns the milliseconds of the fastest calls, after as many rounds without a watch. */
  private static double[] best(int rounds, LongSupplier clock, Call... calls) throws OrtException {
    double[] best = new double[calls.length];
    Arrays.fill(best, Double.MAX_VALUE);
    for (int round = -rounds; round < rounds; round++) {
      for (int i = 0; i < calls.length; i++) {
        long start = clock.getAsLong();
        calls[i].run();
        double took = (clock.getAsLong() - start) / 1e6;
        best[i] = round < 0 ? best[i] : Math.min(best[i], took);
      }
    }
    return best;
  }

  // The largest difference, relative to the largest number.
  private static double difference(Tensor own, OrtSession session, Map<String, OnnxTensor> inputs)
      throws OrtException {
    try (OrtSession.Result result = session.run(inputs)) {
      float[] found = new float[own.size()];
      ((OnnxTensor) result.get(0)).getFloatBuffer().get(found);
      Tensor other = Tensor.of(found, own.shape().toArray());
      return other.sub(own).abs().max(false).item() / own.abs().max(false).item();
    }
  }
}
