package io.perflow.cluster;

import io.perflow.flow.DataSource;
import io.perflow.flow.RectifiedFlow;
import io.perflow.flow.TrainConfig;
import io.perflow.flow.Trainer;
import io.perflow.flow.TrainingListener;
import io.perflow.nn.distributed.Collective;
import io.perflow.nn.distributed.Engine;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.zip.CRC32;

/**
 * A rank of a small training, two shards a batch.
 *
 * @param directory of the run
 * @param trouble what happens to whom
 */
record TinyTraining(String directory, Trouble trouble) implements Engine.RankWork<Long> {
  static final int STEPS = 12;

  /** The checksum of the weights in the end. */
  @Override
  public Long of(Collective ranks) throws IOException, InterruptedException {
    RectifiedFlow flow = TinyFlow.flow();
    Tensor fields = TinyFlow.fields(12);
    TrainConfig settings = TrainConfig.fast(STEPS, 4, 1).shards(2).saveEvery(3).validateEvery(6);
    Trainer trainer =
        new Trainer(
                flow,
                DataSource.of(TinyFlow.problem(), fields, settings),
                settings,
                Path.of(directory))
            .validation(fields.slice(0, 0, 4))
            .ranks(ranks)
            .listener(
                new TrainingListener() {
                  @Override
                  public void step(long step, double loss, double rate) {
                    trouble.at((int) step, ranks.rank());
                  }
                });
    trouble.at(0, ranks.rank());
    trainer.train();
    CRC32 sum = new CRC32();
    for (Tensor value : flow.network().values()) {
      float[] numbers = value.toFloats();
      ByteBuffer bytes = ByteBuffer.allocate(numbers.length * Float.BYTES);
      bytes.asFloatBuffer().put(numbers);
      sum.update(bytes);
    }
    return sum.getValue();
  }
}
