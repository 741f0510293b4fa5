package io.perflow.nn;

import io.perflow.nn.optim.Ema;
import io.perflow.nn.optim.Optimizer;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.SafeTensors;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The complete state of a training run in one safetensors file, from which it resumes as if it had
 * never stopped: weights under their own names, averages under {@code ema/NAME}, the optimizer's
 * memory under {@code optimizer/SLOT/NAME}. The metadata hold the number of steps, the state of the
 * random numbers, the configuration and the version of the library.
 *
 * <pre>{@code
 * Checkpoint run = Checkpoint.of(net).ema(ema).optimizer(adam).rng("train", rng);
 * run.save(file, Map.of("config", net.config().toJson()));
 * run.load(file);                          // into a net, ema and adam built alike
 * Rng rng = run.rng("train");
 * }</pre>
 */
public final class Checkpoint {
  private static final String EMA = "ema" + Weights.SEPARATOR;
  private static final String OPTIMIZER = "optimizer" + Weights.SEPARATOR;
  private static final String RNG = "rng.";
  private static final String STEPS = "steps";

  private final Layer layer;
  private final Map<String, Rng> streams = new TreeMap<>();
  private Ema ema; // null if there is no average
  private Optimizer optimizer; // null if there is no optimizer

  private Checkpoint(Layer layer) {
    this.layer = layer;
  }

  /** Returns a checkpoint of a network. */
  public static Checkpoint of(Layer network) {
    return new Checkpoint(network);
  }

  /** Includes the average of the parameters. */
  public Checkpoint ema(Ema average) {
    ema = average;
    return this;
  }

  /** Includes the optimizer. */
  public Checkpoint optimizer(Optimizer optimizer) {
    this.optimizer = optimizer;
    return this;
  }

  /** Includes a stream of random numbers under a name. */
  public Checkpoint rng(String name, Rng stream) {
    streams.put(name, stream);
    return this;
  }

  /**
   * Returns the stream with a name: after {@link #load} a new stream that continues where the saved
   * one was.
   */
  public Rng rng(String name) {
    Rng stream = streams.get(name);
    if (stream == null) {
      throw new IllegalArgumentException(
          "[checkpoint] no random stream %s, only %s".formatted(name, streams.keySet()));
    }
    return stream;
  }

  /**
   * Writes the file, complete or not at all.
   *
   * @param notes further metadata, such as {@code config}
   */
  public void save(Path file, Map<String, String> notes) throws IOException {
    Map<String, Tensor> tensors = Weights.tensors(layer);
    Map<String, String> metadata = FormatVersion.stamped(notes);
    if (ema != null) {
      ema.averages().forEach((name, tensor) -> tensors.put(EMA + name, tensor));
    }
    if (optimizer != null) {
      optimizer.state().forEach((name, tensor) -> tensors.put(OPTIMIZER + name, tensor));
      metadata.put(STEPS, Long.toString(optimizer.steps()));
    }
    streams.forEach((name, rng) -> metadata.put(RNG + name, rng.state().toString()));
    Weights.requireFinite(file, tensors);
    SafeTensors.write(file, tensors, metadata);
  }

  /**
   * Overwrites network, average, optimizer and random streams.
   *
   * @return the metadata of the file
   * @throws IllegalArgumentException when the file does not fit, listing what is missing, unknown
   *     or of another shape
   */
  public Map<String, String> load(Path file) throws IOException {
    try (SafeTensors open = SafeTensors.read(file)) {
      Map<String, String> metadata = open.metadata();
      FormatVersion.check(file, metadata);
      Weights.load(open, file, layer);
      restore(open, file, metadata);
      streams.replaceAll(
          (name, _) -> Rng.restore(Rng.State.parse(entry(metadata, RNG + name, file))));
      return metadata;
    }
  }

  private void restore(SafeTensors open, Path file, Map<String, String> metadata)
      throws IOException {
    try {
      if (ema != null) {
        ema.restore(part(open, file, EMA));
      }
      if (optimizer != null) {
        optimizer.restore(steps(metadata, file), part(open, file, OPTIMIZER));
      }
    } catch (IllegalArgumentException e) { // which knows tensors and no file
      throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
    }
  }

  private static long steps(Map<String, String> metadata, Path file) throws FileFormatException {
    String text = entry(metadata, STEPS, file);
    if (!text.matches("[0-9]{1,18}")) {
      throw new FileFormatException(
          file.toString(), STEPS, "'%s' is not a number of steps".formatted(text));
    }
    return Long.parseLong(text);
  }

  private static Map<String, Tensor> part(SafeTensors open, Path file, String prefix)
      throws IOException {
    Map<String, Tensor> part = new LinkedHashMap<>();
    for (String name : open.names()) {
      if (name.startsWith(prefix)) {
        part.put(name.substring(prefix.length()), Weights.finite(open, file, name));
      }
    }
    return part;
  }

  private static String entry(Map<String, String> metadata, String name, Path file) {
    String value = metadata.get(name);
    if (value == null) {
      throw new IllegalArgumentException(
          "[checkpoint] %s has no metadata %s, only %s".formatted(file, name, metadata.keySet()));
    }
    return value;
  }
}
