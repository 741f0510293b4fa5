package io.perflow.cli;

import io.perflow.flow.FieldErrors;
import io.perflow.flow.Judge;
import io.perflow.flow.Observations;
import io.perflow.nn.distributed.CarriedFile;
import io.perflow.nn.distributed.Engine;
import io.perflow.nn.distributed.Parcel;
import io.perflow.nn.distributed.PerProcess;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Tensor;
import java.io.Serializable;
import java.util.List;

/** The work of judging test fields on executors. */
record RemoteEvaluation(PerProcess<Bench> bench)
    implements Engine.Work<RemoteEvaluation.Field, FieldErrors> {
  /**
   * The judges on an executor, one for each number of sensors. Field i takes split i of the random
   * numbers.
   */
  record Bench(List<Judge> judges, Rng rng) {}

  /**
   * A test field and the readings of its sensors, each a batch of one, and the number of its judge.
   */
  record Field(int judge, int number, Parcel truth, Parcel values, Parcel planes)
      implements Serializable {
    static Field of(int judge, int number, Tensor truth, Observations seen) {
      return new Field(
          judge, number, Parcel.of(truth), Parcel.of(seen.values()), Parcel.of(seen.planes()));
    }
  }

  /**
   * Returns the work of a command.
   *
   * @param exact whether readings have no noise, for each number of sensors
   */
  static RemoteEvaluation of(RemoteCommand command, CarriedFile model, List<Boolean> exact) {
    return new RemoteEvaluation(
        PerProcess.of(
            () -> {
              EvaluateCommand evaluate = command.parse(EvaluateCommand.class);
              return evaluate.bench(model.read(Model::load), exact);
            }));
  }

  @Override
  public FieldErrors of(Field field) throws Exception {
    Observations seen = new Observations(field.values().tensor(), field.planes().tensor());
    Bench with = bench.get();
    Rng rng = with.rng().split(field.number());
    return with.judges().get(field.judge()).errors(field.truth().tensor(), seen, rng);
  }
}
