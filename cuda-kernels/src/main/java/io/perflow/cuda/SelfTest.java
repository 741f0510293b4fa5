package io.perflow.cuda;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.zip.CRC32;

/**
 * A test that runs every kernel on fixed inputs, for owners of a GPU.
 *
 * <p>Each result is compared with two things: the bits that the emulated device predicts, kept as a
 * checksum in {@code selftest.golden}, and the scalar definition computed in double on the CPU
 * there and then. Equal bits are the best outcome; bits that differ within the tolerance are a
 * finding to report (approximate functions and tensor cores may round in their own way); beyond it
 * the kernel is wrong.
 */
public final class SelfTest {
  /** The verdict on one computation. */
  public enum Verdict {
    /** The bits are those that were predicted. */
    EQUAL,
    /** The bits differ, within the tolerance of the definition. */
    CLOSE,
    /** The result is beyond the tolerance, or there was an error. */
    WRONG
  }

  /**
   * The outcome of one computation.
   *
   * @param error the largest difference from the definition, relative to its largest number
   * @param checksum CRC-32 of the bits of all results
   * @param detail what went wrong, or an empty string
   */
  public record Outcome(
      String name, Verdict verdict, double error, String checksum, String detail) {
    @Override
    public String toString() {
      return "%-6s %-45s error %.1e  bits %s%s"
          .formatted(verdict, name, error, checksum, detail.isEmpty() ? "" : "  " + detail);
    }
  }

  private static final String GOLDEN = "selftest.golden";

  private final Device device;
  private final CudaBackend backend;
  private final Map<String, String> golden = golden();

  private SelfTest(Device device) {
    this.device = device;
    this.backend = (CudaBackend) device.backend();
  }

  /**
   * Returns a test of this device.
   *
   * @throws IllegalArgumentException when it is not a device of this backend
   */
  public static SelfTest of(Device device) {
    if (!(device.backend() instanceof CudaBackend)) {
      throw new IllegalArgumentException(
          "[self-test] %s has no CUDA kernels; take a CUDA device".formatted(device));
    }
    return new SelfTest(device);
  }

  private static Map<String, String> golden() {
    Map<String, String> golden = new TreeMap<>();
    try (InputStream in = SelfTest.class.getResourceAsStream(GOLDEN)) {
      if (in != null) {
        new BufferedReader(new InputStreamReader(in, UTF_8))
            .lines()
            .filter(line -> !line.startsWith("#"))
            .forEach(line -> golden.put(line.substring(9), line.substring(0, 8)));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return golden;
  }

  /** Runs everything; each outcome is passed on as soon as it is known. */
  public List<Outcome> run(Consumer<Outcome> listener) {
    List<Outcome> outcomes = new ArrayList<>();
    for (Trial trial : Trials.all()) {
      Outcome outcome = run(trial);
      outcomes.add(outcome);
      listener.accept(outcome);
    }
    return outcomes;
  }

  private Outcome run(Trial trial) {
    backend.convolutions(trial.method());
    try (Scope _ = Scope.open()) {
      double[][] actual = numbers(trial.results().apply(Inputs.of(device, trial.tried())));
      double[][] expected = numbers(trial.results().apply(Inputs.exact(trial.tried())));
      double error = 0;
      for (int i = 0; i < expected.length; i++) {
        error = Math.max(error, relativeError(actual[i], expected[i]));
      }
      String checksum = checksum(actual, trial.tried());
      return new Outcome(trial.name(), verdict(trial, error, checksum), error, checksum, "");
    } catch (RuntimeException e) { // of the driver or a kernel: the others are still worth running
      return new Outcome(
          trial.name(), Verdict.WRONG, Double.NaN, "--------", String.valueOf(e.getMessage()));
    } finally {
      backend.convolutions(ConvolutionMethod.DIRECT);
    }
  }

  private Verdict verdict(Trial trial, double error, String checksum) {
    if (!(error <= trial.tolerance())) {
      return Verdict.WRONG;
    }
    return checksum.equals(golden.get(trial.name())) ? Verdict.EQUAL : Verdict.CLOSE;
  }

  private static double[][] numbers(Tensor[] results) {
    double[][] numbers = new double[results.length][];
    for (int i = 0; i < results.length; i++) {
      numbers[i] = results[i].toDoubles();
    }
    return numbers;
  }

  private static double relativeError(double[] actual, double[] expected) {
    if (actual.length != expected.length) {
      return Double.POSITIVE_INFINITY;
    }
    double worst = 0;
    double largest = Double.MIN_NORMAL;
    for (int i = 0; i < actual.length; i++) {
      worst = Math.max(worst, Math.abs(actual[i] - expected[i])); // NaN stays
      largest = Math.max(largest, Math.abs(expected[i]));
    }
    return worst / largest;
  }

  private static String checksum(double[][] results, DataType type) {
    CRC32 crc = new CRC32();
    for (double[] numbers : results) {
      ByteBuffer bytes = ByteBuffer.allocate(numbers.length * type.bytes());
      for (double number : numbers) {
        if (type == DataType.F32) {
          bytes.putFloat((float) number);
        } else {
          bytes.putDouble(number);
        }
      }
      crc.update(bytes.flip());
    }
    return "%08x".formatted(crc.getValue());
  }

  /** Returns the kernels that exist and have not been launched on the device so far. */
  public List<String> untried() {
    TreeSet<String> names = new TreeSet<>(KernelLibrary.names());
    names.removeAll(backend.kernelsUsed());
    return List.copyOf(names);
  }
}
