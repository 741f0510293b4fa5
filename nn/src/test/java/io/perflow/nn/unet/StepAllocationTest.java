package io.perflow.nn.unet;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What a step of a sampler leaves to the collector: small objects, since its arrays are recycled.
 * Alone, since all threads are counted.
 */
@Isolated
class StepAllocationTest {
  // Alone in a new JVM it is 65 to 92 KB; where other tests have run before, the compiler gives up
  // on
  // more calls, and some vectors stay objects. Without recycling it is 900 KB.
  private static final long MOST = 400_000;
  private static final long PATIENCE = 60_000_000_000L; // on a busy machine; else a few seconds

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @ParameterizedTest
  @CsvSource({"small, 1", "base, 4"})
  void aStepAllocatesLittle(String preset, int batch) {
    UNet net = UNet.of(UNetConfig.preset(preset), Rng.of(1));
    int size = 2 * net.config().multiple();
    Tensor x = Rng.of(2).normal(Shape.of(batch, net.config().inChannels(), size, size));
    Tensor t = Rng.of(3).uniform(Shape.of(batch));
    long least = Long.MAX_VALUE;
    // until the compiler is done with the kernels, every vector in them is an object
    for (long start = System.nanoTime(); least > MOST && System.nanoTime() - start < PATIENCE; ) {
      long before = THREADS.getTotalThreadAllocatedBytes();
      try (Scope _ = Scope.open()) {
        net.apply(x, t);
      }
      least = Math.min(least, THREADS.getTotalThreadAllocatedBytes() - before);
    }
    assertTrue(least <= MOST, "a step allocates " + least + " bytes");
  }
}
