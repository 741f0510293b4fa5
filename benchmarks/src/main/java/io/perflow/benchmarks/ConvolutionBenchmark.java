package io.perflow.benchmarks;

import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.Images;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Settings;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.Conv2dBackwardInput;
import io.perflow.tensor.op.Conv2dBackwardWeight;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * The benchmark of the 3x3 convolutions of the U-Net, forward and both gradients. GFLOP/s count the
 * multiplications and additions of the direct form, whichever algorithm runs; {@code exact} is that
 * form, the baseline.
 */
public class ConvolutionBenchmark extends OpBenchmark {
  private static final Conv2dSpec SAME = Conv2dSpec.of(1, 1);

  /** Batch x channels x pixels along a side. */
  @Param({"1x64x128", "1x128x64", "1x256x32", "4x32x128"})
  public String size;

  /** Whether convolution is direct instead of Winograd's. */
  @Param({"false", "true"})
  public boolean exact;

  private Tensor x;
  private Tensor w;
  private Tensor dy;
  private double flops;

  /** Creates the state; JMH calls it. */
  public ConvolutionBenchmark() {}

  /** Draws the input. */
  @Setup
  public void draw() {
    useThreads();
    Settings.exactConvolution(exact);
    int[] s = sizes(size);
    x = images(s[0], s[1], s[2], s[2]);
    dy = images(s[0], s[1], s[2], s[2]);
    w = normal(s[1], s[1], 3, 3);
    flops = 2.0 * 9 * s[1] * x.size();
  }

  /** Measures the forward pass, with packed weights kept between calls as in sampling. */
  @Benchmark
  public void forward(Work work, Blackhole hole) {
    try (Scope scope = Scope.open()) {
      hole.consume(Images.conv2d(x, w, null, SAME));
    }
    work.gflop += 1e-9 * flops;
  }

  /** Measures the gradient of the input, with weights packed anew as in training. */
  @Benchmark
  public void backwardInput(Work work, Blackhole hole) {
    try (Scope scope = Scope.open()) {
      Tensor fresh = w.device().backend().memory().copy(w, w.layout());
      hole.consume(new Conv2dBackwardInput(SAME, x.shape()).apply(dy, fresh));
    }
    work.gflop += 1e-9 * flops;
  }

  /** Measures the gradient of the weights. */
  @Benchmark
  public void backwardWeight(Work work, Blackhole hole) {
    try (Scope scope = Scope.open()) {
      hole.consume(new Conv2dBackwardWeight(SAME, w.shape()).apply(x, dy));
    }
    work.gflop += 1e-9 * flops;
  }
}
