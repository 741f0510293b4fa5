package io.perflow.cuda;

import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.BinaryKind;
import io.perflow.tensor.op.GroupNormSpec;
import java.util.ArrayList;
import java.util.List;

/**
 * A stopwatch for operations of the sizes in U-Nets, in F32: the best of several batches of calls,
 * waiting for the device at the end of each batch.
 */
public final class Stopwatch {
  /**
   * One measurement.
   *
   * @param work the floating-point operations of a call by the definition, or the bytes read and
   *     written
   * @param unit {@code GFLOP/s} or {@code GB/s}
   */
  public record Timing(String name, double milliseconds, double work, String unit) {
    /** Returns the work per time. */
    public double rate() {
      return work / milliseconds / 1e6;
    }

    @Override
    public String toString() {
      return "%-45s %10.4f ms %10.1f %s".formatted(name, milliseconds, rate(), unit);
    }
  }

  private static final String FLOPS = "GFLOP/s";
  private static final String BYTES = "GB/s";
  private static final int BATCHES = 3;

  private final Device device;
  private final CudaBackend backend;
  private final int calls;
  private final List<Timing> timings = new ArrayList<>();

  private Stopwatch(Device device, int calls) {
    this.device = device;
    this.backend = (CudaBackend) device.backend();
    this.calls = calls;
  }

  /**
   * Measures a CUDA device.
   *
   * @param extent the number of pixels along each side of the images; matrices have eight times as
   *     many rows
   * @param calls the number of calls per batch
   */
  public static List<Timing> measure(Device device, int extent, int calls) {
    Stopwatch watch = new Stopwatch(device, calls);
    try (Scope _ = Scope.open()) {
      watch.convolutions(extent);
      watch.others(extent);
    }
    return watch.timings;
  }

  private Tensor normal(String name, int... shape) {
    return Rng.of(1).split(name).normal(device, Shape.of(shape), DataType.F32);
  }

  private void convolutions(int extent) {
    Tensor x = normal("x", 8, 64, extent, extent);
    Tensor weight = normal("w", 64, 64, 3, 3);
    Conv2dSpec spec = Conv2dSpec.of(1, 1);
    double work = 2.0 * x.size() * 64 * 9;
    for (ConvolutionMethod method : ConvolutionMethod.values()) {
      backend.convolutions(method);
      String name = "3x3 convolution %s, %s".formatted(x.shape(), method);
      try {
        time(name, work, FLOPS, () -> backend.conv().conv2d(x, weight, null, spec));
      } finally {
        backend.convolutions(ConvolutionMethod.DIRECT);
      }
    }
    time(
        "gradient in x",
        work,
        FLOPS,
        () -> backend.conv().conv2dBackwardInput(x, weight, null, spec, x.shape()));
    time(
        "gradient in the weight",
        work,
        FLOPS,
        () -> backend.conv().conv2dBackwardWeight(x, x, spec, weight.shape()));
  }

  private void others(int extent) {
    int n = 8 * extent;
    Tensor a = normal("a", n, n);
    time("product " + a.shape(), 2.0 * n * n * n, FLOPS, () -> backend.gemm().matmul(a, a));
    Tensor x = normal("x", 8, 64, extent, extent);
    double bytes = 4.0 * x.size();
    time(
        "sum of two " + x.shape(),
        3 * bytes,
        BYTES,
        () -> backend.elementwise().binary(BinaryKind.ADD, x, x));
    GroupNormSpec norm = new GroupNormSpec(8, 1e-5, true, false, true);
    Tensor weight = normal("w", 64);
    time(
        "group norm and SiLU " + x.shape(),
        2 * bytes,
        BYTES,
        () -> backend.norm().groupNorm(x, weight, weight, null, null, norm));
    double log = Math.log(extent * (double) extent) / Math.log(2);
    time("rfft2 " + x.shape(), 2.5 * x.size() * log, FLOPS, () -> backend.fft().rfft(x, 2, 1));
    Tensor q = normal("q", 2, 4, n / 2, 32);
    time(
        "attention " + q.shape(),
        4.0 * q.size() * n / 2,
        FLOPS,
        () -> backend.attention().attention(q, q, q, 0.2));
  }

  private void time(String name, double work, String unit, Runnable operation) {
    run(1, operation); // compiles the kernel and packs the filter
    double best = Double.POSITIVE_INFINITY;
    for (int batch = 0; batch < BATCHES; batch++) {
      best = Math.min(best, run(calls, operation));
    }
    timings.add(new Timing(name, best / 1e6, work, unit));
  }

  // Returns the nanoseconds of one call.
  private double run(int times, Runnable operation) {
    backend.synchronize();
    long start = System.nanoTime();
    for (int i = 0; i < times; i++) {
      try (Scope _ = Scope.open()) {
        operation.run();
      }
    }
    backend.synchronize();
    return (System.nanoTime() - start) / (double) times;
  }
}
