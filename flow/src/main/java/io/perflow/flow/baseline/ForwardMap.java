package io.perflow.flow.baseline;

import io.perflow.physics.Problem;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.stream.IntStream;

/**
 * A map from the part of a field that is the cause to the effect: the first half of the frames to
 * the second, the first time of a field over time and space to all times, or the first of two
 * quantities, such as a source, to the second, such as the solution.
 */
sealed interface ForwardMap {

  /** Returns the number of input channels of a network. */
  int inputs();

  /** Returns the number of output channels of a network. */
  int outputs();

  /** Returns the shape of a batch of causes. */
  Shape causes(int batch);

  /** Returns the causes of fields. */
  Tensor cause(Tensor fields);

  /** Returns the input of a network for causes, [batch, inputs, height, width]. */
  Tensor told(Tensor causes);

  /** Returns the effects in fields, which the network is to predict. */
  Tensor effect(Tensor fields);

  /** Joins causes and their effects to fields. */
  Tensor fields(Tensor causes, Tensor effects);

  /**
   * Returns the map of a problem.
   *
   * @throws IllegalArgumentException if the problem does not tell cause from effect
   */
  static ForwardMap of(Problem problem) {
    if (problem.frameCount() > 1 && problem.frameCount() % 2 == 0) {
      return new Channels(problem, problem.frameCount());
    }
    if (problem.grid().rows().time() && problem.channelCount() == 1) {
      return new Evolution(problem);
    }
    if (problem.channelCount() == 2) {
      return new Channels(problem, 2);
    }
    throw new IllegalArgumentException(
        ("a surrogate of %s cannot tell cause from effect: there must be an even number of"
                + " frames, a first axis of time, or two quantities")
            .formatted(problem.name()));
  }

  /** A map in which the first half of the channels of every component causes the second half. */
  record Channels(Problem problem, int frames) implements ForwardMap {
    @Override
    public int inputs() {
      return problem.channelCount() / 2;
    }

    @Override
    public int outputs() {
      return problem.channelCount() / 2;
    }

    @Override
    public Shape causes(int batch) {
      return problem.batch(batch).with(1, inputs());
    }

    @Override
    public Tensor cause(Tensor fields) {
      return half(fields, 0);
    }

    @Override
    public Tensor told(Tensor causes) {
      return causes;
    }

    @Override
    public Tensor effect(Tensor fields) {
      return half(fields, frames / 2);
    }

    private Tensor half(Tensor fields, int first) {
      int[] channels =
          IntStream.range(0, problem.channelCount())
              .filter(c -> c % frames >= first && c % frames < first + frames / 2)
              .toArray();
      return fields.gather(1, channels);
    }

    // Channel c of a field is frame c mod F of component c / F.
    @Override
    public Tensor fields(Tensor causes, Tensor effects) {
      int half = frames / 2;
      int[] from =
          IntStream.range(0, problem.channelCount())
              .map(
                  c -> {
                    int place = c / frames * half + c % half;
                    return c % frames < half ? place : inputs() + place;
                  })
              .toArray();
      return Tensor.concat(1, causes, effects).gather(1, from);
    }
  }

  /**
   * A map in which the first row of a field causes all rows; the network receives it at every row,
   * with the time.
   */
  record Evolution(Problem problem) implements ForwardMap {
    @Override
    public int inputs() {
      return 2;
    }

    @Override
    public int outputs() {
      return 1;
    }

    @Override
    public Shape causes(int batch) {
      return Shape.of(batch, 1, 1, problem.grid().width());
    }

    @Override
    public Tensor cause(Tensor fields) {
      return fields.slice(2, 0, 1);
    }

    @Override
    public Tensor told(Tensor causes) {
      int rows = problem.grid().height();
      Shape all = problem.batch(causes.dim(0));
      float[] times = new float[rows];
      for (int i = 0; i < rows; i++) {
        times[i] = (float) i / Math.max(1, rows - 1);
      }
      Tensor time = Tensor.of(times, 1, 1, rows, 1).to(causes.type()).to(causes.device());
      return Tensor.concat(1, causes.expand(all), time.expand(all));
    }

    @Override
    public Tensor effect(Tensor fields) {
      return fields;
    }

    @Override
    public Tensor fields(Tensor causes, Tensor effects) {
      return effects;
    }
  }
}
