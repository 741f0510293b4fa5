package io.perflow.cli;

import io.perflow.flow.FieldSampler;
import io.perflow.nn.distributed.CarriedFile;
import io.perflow.nn.distributed.Engine;
import io.perflow.nn.distributed.Parcel;
import io.perflow.nn.distributed.PerProcess;
import io.perflow.physics.Readings;
import io.perflow.tensor.Rng;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/** The work of drawing samples of an ensemble on executors. */
record RemoteReconstruction(PerProcess<Source> source)
    implements Engine.Work<RemoteReconstruction.Part, Parcel> {
  /** The source of samples on an executor; sample i takes split i of the random numbers. */
  record Source(FieldSampler sampler, Readings readings, Rng rng) {}

  /** Some samples that are drawn together. */
  record Part(int first, int count) implements Serializable {}

  /** Returns the work of a command. */
  static RemoteReconstruction of(RemoteCommand command, CarriedFile model, CarriedFile readings) {
    return new RemoteReconstruction(
        PerProcess.of(
            () -> {
              ReconstructCommand reconstruct = command.parse(ReconstructCommand.class);
              Model loaded = model.read(Model::load);
              return reconstruct.source(
                  loaded, readings.read(file -> Readings.read(file, loaded.problem())));
            }));
  }

  /** Returns the parts of an ensemble that can be drawn separately with the same bits. */
  static List<Part> parts(FieldSampler sampler, int samples) {
    int size = Math.min(sampler.together(), samples);
    List<Part> parts = new ArrayList<>();
    for (int first = 0; first < samples; first += size) {
      parts.add(new Part(first, Math.min(size, samples - first)));
    }
    return parts;
  }

  @Override
  public Parcel of(Part part) throws Exception {
    Source from = source.get();
    Rng rng = from.rng().from(part.first());
    return Parcel.of(from.sampler().draw(from.readings(), part.count(), rng).samples());
  }
}
