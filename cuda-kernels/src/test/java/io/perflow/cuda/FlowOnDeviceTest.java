package io.perflow.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.flow.DataSource;
import io.perflow.flow.FlowConfig;
import io.perflow.flow.FlowSampler;
import io.perflow.flow.OdeSolver;
import io.perflow.flow.PerFlow;
import io.perflow.flow.Reconstruction;
import io.perflow.flow.RectifiedFlow;
import io.perflow.flow.TrainConfig;
import io.perflow.flow.Trainer;
import io.perflow.flow.TrainingListener;
import io.perflow.nn.unet.UNetConfig;
import io.perflow.physics.Normalization;
import io.perflow.physics.Problem;
import io.perflow.physics.Readings;
import io.perflow.physics.Sensors;
import io.perflow.physics.constraint.Projector;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A whole training and a whole reconstruction on a device, as a user starts them. */
class FlowOnDeviceTest {
  private static final int BATCH = 2;
  private static final int FLOAT = 4;

  @TempDir Path directory;

  private static Problem heat(int height, int width) {
    return Problem.named("heat")
        .axis("y", 0, 1, height)
        .axis("x", 0, 2, width)
        .channel("T", "K")
        .constrain("mass:T=300")
        .constrain("dirichlet:T@x-low=299")
        .sensors(Sensors.points(3))
        .build();
  }

  // smooth fields of about 2 K around 300 K that satisfy the constraints
  private static Tensor fields(Problem problem, int count) {
    int height = problem.grid().height();
    int width = problem.grid().width();
    double[] values = new double[count * height * width];
    for (int s = 0; s < count; s++) {
      for (int i = 0; i < height * width; i++) {
        double x = 2.0 * (i % width) / (width - 1);
        double y = (double) (i / width) / (height - 1);
        values[s * height * width + i] = 300 + Math.sin(3 * x + s) * Math.cos(2 * y - s) + x;
      }
    }
    Tensor free = Tensor.of(values, problem.batch(count).toArray());
    return Projector.onto(problem.constraints()).project(free);
  }

  /** What happened step by step. */
  private static final class Losses implements TrainingListener {
    private final List<Double> all = new ArrayList<>();

    @Override
    public void step(long step, double loss, double rate) {
      all.add(loss);
    }
  }

  /** Two steps of training, then samples from readings on and off the grid. */
  private Tensor samples(Problem problem, Device device, Losses losses) throws IOException {
    PerFlow flow =
        PerFlow.of(problem)
            .train(fields(problem, 4), TrainConfig.fast(2, BATCH, 1))
            .network(UNetConfig.tiny())
            .device(device)
            .calibrated(false) // a thousand evaluations take minutes on an emulated device
            .listener(losses)
            .run(directory.resolve(device + "-" + problem.grid().height()));
    assertEquals(device, flow.flow().orElseThrow().device());
    Readings readings =
        Readings.of(problem)
            .at("T", 300.4, 0.31, 0.77)
            .box("T", 300.1, new double[] {0.5, 0.5}, new double[] {1, 1.5})
            .build();
    Reconstruction found =
        flow.reconstruct(readings)
            .samples(2)
            .solver(OdeSolver.euler(2))
            .sensors(FlowSampler.Agreement.EXACT)
            .draw(Rng.of(5));
    found
        .certificate()
        .worst()
        .forEach(entry -> assertEquals(0, entry.physical().max(), 1e-9, entry.constraint()));
    return found.fields().samples();
  }

  @Test
  void trainingAndReconstructionAgreeWithTheCpu() throws IOException {
    // a grid that the network divides, and one that is padded
    for (Problem problem : List.of(heat(16, 16), heat(9, 13))) {
      Losses expected = new Losses();
      Losses found = new Losses();
      Tensor cpu = samples(problem, Device.cpu(), expected);
      Tensor there = samples(problem, Device.emulated(), found);
      assertEquals(2, found.all.size());
      for (int i = 0; i < 2; i++) {
        assertEquals(expected.all.get(i), found.all.get(i), 1e-4 * expected.all.get(i));
      }
      double off = there.sub(cpu).abs().max(false).item();
      assertTrue(off < 1e-3, "samples on %s differ by %s K".formatted(problem.grid(), off));
      assertTrue(cpu.add(-300).square().mean().item() > 0.01);
    }
  }

  // What a step moves does not depend on the machine. What goes up is named here to the last byte:
  // a change that sends more must say what, one that sends less must claim it.
  @Test
  void aStepOfTrainingMovesTheBatchAndItsMasksOnly() throws IOException {
    Problem problem = heat(16, 16);
    int cells = problem.grid().cells();
    Device device = Device.emulated();
    CudaBackend backend = (CudaBackend) device.backend();
    FlowConfig config =
        FlowConfig.of(problem, new Normalization(List.of(300.0), List.of(1.0)))
            .network(UNetConfig.tiny());
    RectifiedFlow flow = RectifiedFlow.of(config, Rng.of(1));
    Tensor data = config.normalization().normalize(fields(problem, 4));
    TrainConfig settings = TrainConfig.fast(4, BATCH, 1).saveEvery(4).validateEvery(4);
    List<Traffic> traffic = new ArrayList<>();
    List<Long> memory = new ArrayList<>();
    new Trainer(flow, DataSource.of(problem, data, settings), settings, directory.resolve("run"))
        .device(device)
        .listener(
            new TrainingListener() {
              @Override
              public void step(long step, double loss, double rate) {
                traffic.add(backend.traffic());
                memory.add(backend.usedBytes());
              }
            })
        .train();
    int field = BATCH * cells * FLOAT;
    int up =
        field // the batch
            + 2 * field // masks: for the readings, and as channels of the condition
            + field // where the nearest sensor of every pixel is
            + field // how far it is
            + 2 * 16 * FLOAT // coordinates along both axes
            + 16 * (16 / 2 + 1) * FLOAT // amplitudes of the smooth noise
            + BATCH * FLOAT; // times
    int parameters = flow.network().parameters().size();
    for (int step = 2; step < 4; step++) {
      Traffic one = traffic.get(step).since(traffic.get(step - 1));
      assertEquals(up, one.uploadedBytes(), "up in step " + step);
      // the loss, and for clipping the norm of every gradient, all norms at once
      assertEquals((1 + parameters) * FLOAT, one.downloadedBytes(), "down in step " + step);
      assertTrue(one.launches() <= 1265, one.launches() + " launches in step " + step);
      // lists of places are kept for loops that ask again, up to some megabytes in all
      long left = memory.get(step) - memory.get(step - 1);
      assertTrue(left <= field, left + " bytes left behind by step " + step);
    }
  }

  @Test
  void aStepOfASamplerMovesNothing() {
    Problem problem = heat(16, 16);
    Device device = Device.emulated();
    CudaBackend backend = (CudaBackend) device.backend();
    FlowConfig config =
        FlowConfig.of(problem, new Normalization(List.of(300.0), List.of(1.0)))
            .network(UNetConfig.tiny());
    PerFlow flow = PerFlow.of(RectifiedFlow.of(config, Rng.of(1))).to(device);
    Readings readings = Readings.of(problem).at("T", 300.4, 0.31, 0.77).build();
    for (FlowSampler.Agreement agreement : FlowSampler.Agreement.values()) {
      List<Traffic> costs = new ArrayList<>();
      for (int steps : new int[] {1, 2, 4}) { // the first brings constants there
        Traffic before = backend.traffic();
        flow.reconstruct(readings)
            .samples(2)
            .solver(OdeSolver.euler(steps))
            .sensors(agreement)
            .draw(Rng.of(5));
        costs.add(backend.traffic().since(before));
      }
      Traffic more = costs.get(2).since(costs.get(1));
      assertEquals(0, more.uploadedBytes(), agreement + " up");
      assertEquals(0, more.downloadedBytes(), agreement + " down");
    }
  }
}
