package io.perflow.flow;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.flow.log.TrainingLog;
import io.perflow.nn.Parameter;
import io.perflow.nn.Weights;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.io.FileFormatException;
import io.perflow.tensor.io.SafeTensors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs continue only with the settings that they began with, and files are used only when sound.
 */
class TrustedRunTest {
  @TempDir Path directory;

  private static TrainConfig settings(long steps) {
    return TrainConfig.fast(steps).batch(2).validateEvery(2).saveEvery(1);
  }

  private static RectifiedFlow flow() {
    return Small.flow("burgers", FlowConfig.Prediction.CLEAN);
  }

  private Trainer trainer(RectifiedFlow flow, Tensor fields, long steps) {
    DataSource data = DataSource.of(flow.config().problem(), fields, settings(steps));
    return new Trainer(flow, data, settings(steps), directory).validation(Small.fields(flow, 2));
  }

  private Trainer trainer(long steps) {
    RectifiedFlow flow = flow();
    return trainer(flow, Small.fields(flow, 4), steps);
  }

  private static void damage(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length - 5] ^= 4;
    Files.write(file, bytes);
  }

  @Test
  void otherFieldsAreRefusedByTheirNumbers() throws IOException {
    trainer(2).train();
    RectifiedFlow flow = flow();
    Tensor others = Small.fields(flow, 4).mul(0.5);
    var e = assertThrows(IllegalArgumentException.class, () -> trainer(flow, others, 4).train());
    assertTrue(e.getMessage().contains("data.training 4 fields, "), e.getMessage());
    trainer(4).train(); // with the same it goes on
  }

  @Test
  void otherSensorsAreRefusedByName() throws IOException {
    trainer(2).train();
    FlowConfig config = flow().config();
    RectifiedFlow other =
        Small.flow(config.problem(config.problem().with(config.problem().sensors().count(5, 5))));
    var e =
        assertThrows(
            IllegalArgumentException.class,
            () -> trainer(other, Small.fields(other, 4), 4).train());
    assertTrue(e.getMessage().contains("flow.problem.sensors.lines 3, not 5"), e.getMessage());
  }

  /** A run that was killed before its first checkpoint leaves its prior. */
  @Test
  void aPriorOfOtherFieldsIsRefused() throws IOException {
    FlowConfig config = Small.config("burgers", FlowConfig.Prediction.PRIOR);
    Tensor fields = Small.fields(flow(), 8);
    Tensor held = fields.slice(0, 6, 8);
    RectifiedFlow.of(config, directory, fields.slice(0, 0, 6), held, Rng.of(1));
    assertDoesNotThrow(
        () -> RectifiedFlow.of(config, directory, fields.slice(0, 0, 6), held, Rng.of(1)));
    var e =
        assertThrows(
            IllegalArgumentException.class,
            () -> RectifiedFlow.of(config, directory, fields.slice(0, 0, 5), held, Rng.of(1)));
    assertTrue(e.getMessage().contains("data 6 fields, "), e.getMessage());
  }

  @Test
  void aDamagedCheckpointFallsBackToTheOneBefore() throws IOException {
    trainer(3).train();
    damage(directory.resolve(Trainer.LAST));
    Trainer next = trainer(4);
    assertEquals(2, next.resume());
    assertTrue(next.notes().getFirst().contains("is damaged"), next.notes().toString());
    assertTrue(next.notes().getFirst().endsWith("previous.safetensors, step 2"));
    next.train();
    assertEquals(4, trainer(4).resume());
    Files.delete(directory.resolve(Trainer.LAST)); // killed between two checkpoints
    assertEquals(3, trainer(4).resume());
  }

  @Test
  void aDamagedCheckpointWithoutAnotherIsRefused() throws IOException {
    trainer(1).train();
    damage(directory.resolve(Trainer.LAST));
    var e = assertThrows(FileFormatException.class, () -> trainer(2).train());
    assertTrue(e.getMessage().contains("is damaged: checksum"), e.getMessage());
  }

  @Test
  void weightsThatAreNoNumbersAreNeitherWrittenNorRead() throws IOException {
    RectifiedFlow flow = flow();
    Path file = directory.resolve("model.safetensors");
    flow.save(file);
    Map<String, Tensor> tensors;
    Map<String, String> notes;
    try (SafeTensors open = SafeTensors.read(file)) {
      tensors = new LinkedHashMap<>(open.loadAll());
      notes = open.metadata();
    }
    float[] head = tensors.get("head.bias").toFloats();
    head[0] = Float.NaN;
    tensors.put("head.bias", Tensor.of(head, head.length));
    SafeTensors.write(file, tensors, notes);
    var e = assertThrows(FileFormatException.class, () -> RectifiedFlow.load(file));
    assertTrue(e.getMessage().contains("entry 'head.bias': holds NaN at [0]"), e.getMessage());
    Parameter parameter = flow.network().parameters().get("head.bias");
    parameter.assign(Tensor.of(head, head.length));
    var written = assertThrows(IllegalArgumentException.class, () -> flow.save(file));
    assertTrue(written.getMessage().contains("head.bias holds NaN"), written.getMessage());
  }

  /** The loss of a step is finite, but the average is not: nothing is declared best. */
  @Test
  void anAverageThatDivergedEndsTheRun() throws IOException {
    RectifiedFlow flow = flow();
    Trainer trainer = trainer(flow, Small.fields(flow, 4), 2);
    trainer.listener(
        new TrainingListener() {
          @Override
          public void step(long step, double loss, double rate) {
            flow.network()
                .parameters()
                .values()
                .forEach(p -> p.assign(p.value().mul(Float.POSITIVE_INFINITY)));
          }
        });
    assertThrows(RuntimeException.class, trainer::train);
    assertTrue(Files.notExists(directory.resolve(Trainer.BEST)));
  }

  @Test
  void laterFormatsAreRefusedWithBothVersions() throws IOException {
    RectifiedFlow flow = flow();
    Path file = directory.resolve("model.safetensors");
    flow.save(file);
    Map<String, Tensor> tensors;
    Map<String, String> notes;
    try (SafeTensors open = SafeTensors.read(file)) {
      tensors = open.loadAll();
      notes = new LinkedHashMap<>(open.metadata());
    }
    notes.put("perflow.format", "3");
    notes.put("perflow.version", "0.9.0");
    SafeTensors.write(file, tensors, notes);
    for (var reading :
        List.<Executable>of(
            () -> RectifiedFlow.load(file), () -> Weights.load(file, flow.network()))) {
      var e = assertThrows(FileFormatException.class, reading);
      assertTrue(
          e.getMessage().contains("has format 3, written by perflow 0.9.0; this is perflow "));
      assertTrue(e.getMessage().contains("which reads formats up to 2"), e.getMessage());
    }
  }

  @Test
  void aDirectoryIsForOneRunAtATime() throws Exception {
    try (RunLock _ = RunLock.take(directory)) {
      RunLock.take(directory).close(); // the same thread may
      FutureTask<Boolean> other = new FutureTask<>(() -> trainer(1).train());
      Thread.ofPlatform().start(other);
      var e = assertThrows(ExecutionException.class, other::get);
      assertEquals(
          directory
              + " is in use by another thread of this process; wait for its end, or choose another"
              + " directory",
          e.getCause().getMessage());
    }
    assertTrue(trainer(1).train());
  }

  @Test
  void aDamagedTableIsMovedAway() throws IOException {
    Path table = directory.resolve(TrainingLog.TRAIN);
    Files.write(table, new byte[] {'s', (byte) 0xff, '\n'});
    try (TrainingLog log = new TrainingLog(directory, 5)) {
      log.step(6, 1, 0.1);
      assertTrue(log.notes().getFirst().contains("is not a text in UTF-8"));
    }
    assertEquals("step,loss,rate\n6,1.0,0.1\n", Files.readString(table));
    assertTrue(Files.exists(directory.resolve("train.csv.damaged")));
  }

  /** The width of vectors decides the order of sums, and so the bits of everything after. */
  @Test
  void anotherArithmeticIsTold() throws IOException {
    trainer(1).train();
    Path last = directory.resolve(Trainer.LAST);
    Map<String, Tensor> tensors;
    Map<String, String> notes;
    try (SafeTensors open = SafeTensors.read(last)) {
      tensors = open.loadAll();
      notes = new LinkedHashMap<>(open.metadata());
    }
    assertEquals(Device.cpu().arithmetic(), notes.get("arithmetic"));
    notes.put("arithmetic", "vectors of 64 bits");
    SafeTensors.write(last, tensors, notes);
    Trainer next = trainer(2);
    assertTrue(next.train());
    String told = next.notes().getFirst();
    assertTrue(
        told.contains(
            "was computed with vectors of 64 bits and continues with " + Device.cpu().arithmetic()),
        told);
    assertEquals(List.of(), trainer(2).notes());
  }
}
