package io.perflow.cuda;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.perflow.autograd.Gradients;
import io.perflow.autograd.Tape;
import io.perflow.cuda.emulator.EmulatedDriver;
import io.perflow.cuda.emulator.Emulator;
import io.perflow.cuda.emulator.Schedule;
import io.perflow.fixtures.OpCase;
import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Pool2dSpec;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.Attention;
import io.perflow.tensor.op.Conv2d;
import io.perflow.tensor.op.CumulativeSum;
import io.perflow.tensor.op.Fft;
import io.perflow.tensor.op.GroupNorm;
import io.perflow.tensor.op.GroupNormSpec;
import io.perflow.tensor.op.MatMul;
import io.perflow.tensor.op.MaxPool2d;
import io.perflow.tensor.op.Softmax;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The kernels whose threads work together give the same bits however their warps are scheduled, and
 * the same bits every time.
 */
class SchedulesTest {
  private static Tensor normal(String name, int... shape) {
    return Rng.of(3).split(name).normal(Shape.of(shape));
  }

  private static List<OpCase> cases() {
    return List.of(
        OpCase.of(new MatMul(), normal("a", 2, 37, 21), normal("b", 21, 30)),
        OpCase.of(new MatMul(), normal("a", 70, 20), normal("b", 20, 68)),
        OpCase.of(
            new Conv2d(Conv2dSpec.of(1, 1)), normal("x", 2, 8, 9, 9), normal("w", 12, 8, 3, 3)),
        OpCase.of(
            new GroupNorm(new GroupNormSpec(2, 1e-5, true, false, true)),
            normal("x", 2, 6, 9, 8),
            normal("w", 6),
            normal("b", 6)),
        OpCase.of(
            new Attention(0.3),
            normal("q", 1, 2, 40, 20),
            normal("k", 1, 2, 50, 20),
            normal("v", 1, 2, 50, 33)),
        OpCase.of(new Softmax(), normal("x", 9, 77)),
        OpCase.of(new CumulativeSum(1), normal("x", 5, 77)),
        OpCase.of(new MaxPool2d(new Pool2dSpec(3, 3, 1, 1)), normal("x", 1, 2, 9, 8)),
        OpCase.of(new Fft(1, false, 1), normal("x", 9, 128, 2)),
        OpCase.of(new Fft(2, false, 1), normal("x", 12, 20, 2)));
  }

  @Test
  void bitsDoNotDependOnTheSchedule() {
    List<double[]> expected = null;
    for (Schedule schedule : Schedule.values()) {
      Device device = Emulator.over(EmulatedDriver.builder().schedule(schedule).build());
      List<double[]> actual = new ArrayList<>();
      for (OpCase test : cases()) {
        results(test.map(x -> x.to(DataType.F32).to(device)), actual);
      }
      if (expected == null) {
        expected = actual;
      }
      for (int i = 0; i < expected.size(); i++) {
        assertArrayEquals(expected.get(i), actual.get(i), "result " + i + " in " + schedule);
      }
    }
  }

  private static void results(OpCase test, List<double[]> all) {
    try (Scope _ = Scope.open();
        Tape tape = Tape.watching(test.inputs())) {
      Tensor y = test.function().apply(test.inputs());
      Gradients gradients = tape.gradients(y, y);
      all.add(y.toDoubles());
      for (Tensor input : test.inputs()) {
        all.add(gradients.of(input).toDoubles());
      }
    }
  }
}
