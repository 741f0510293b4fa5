package io.perflow.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.cuda.SelfTest.Outcome;
import io.perflow.cuda.SelfTest.Verdict;
import io.perflow.cuda.driver.CudaException;
import io.perflow.cuda.emulator.EmulatedDriver;
import io.perflow.cuda.emulator.Emulator;
import io.perflow.tensor.Device;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What owners of a GPU run, on the emulated device. */
class SelfTestTest {
  @Test
  void everyKernelGivesThePredictedBits() throws IOException {
    assertEquals(new PtxBuild(Path.of(".")).names(), KernelLibrary.FILES);
    SelfTest test = SelfTest.of(Emulator.over(EmulatedDriver.create()));
    List<Outcome> heard = new ArrayList<>();
    List<Outcome> outcomes = test.run(heard::add);
    assertEquals(outcomes, heard);
    assertEquals(List.of(), outcomes.stream().filter(o -> o.verdict() != Verdict.EQUAL).toList());
    assertEquals(List.of(), test.untried(), "kernels that no trial reaches");
    assertEquals(outcomes.size(), outcomes.stream().map(Outcome::name).distinct().count());
  }

  @Test
  void failingKernelIsOneWrongOutcome() {
    EmulatedDriver driver = EmulatedDriver.create();
    SelfTest test = SelfTest.of(Emulator.over(driver));
    driver.failCall("cuLaunchKernel", 3, CudaException.LAUNCH_OUT_OF_RESOURCES);
    List<Outcome> first = new ArrayList<>();
    assertThrows(
        EnoughException.class,
        () ->
            test.run(
                outcome -> {
                  first.add(outcome);
                  if (first.size() == 5) {
                    throw new EnoughException();
                  }
                }));
    Outcome third = first.get(2);
    assertEquals(
        List.of(Verdict.EQUAL, Verdict.EQUAL, Verdict.WRONG, Verdict.EQUAL, Verdict.EQUAL),
        first.stream().map(Outcome::verdict).toList());
    assertTrue(third.detail().contains("kernel unary_sign_f32"), third.toString());
  }

  private static final class EnoughException extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  @Test
  void otherDevicesAreRefused() {
    var e = assertThrows(IllegalArgumentException.class, () -> SelfTest.of(Device.cpu()));
    assertEquals("[self-test] cpu has no CUDA kernels; take a CUDA device", e.getMessage());
  }

  @Test
  void stopwatchMeasuresEveryOperation() {
    List<Stopwatch.Timing> timings =
        Stopwatch.measure(Emulator.over(EmulatedDriver.create()), 4, 1);
    assertEquals(10, timings.size());
    timings.forEach(t -> assertTrue(t.milliseconds() > 0 && t.rate() > 0, t.toString()));
  }
}
