package io.perflow.physics.constraint;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;

/**
 * A random velocity field, smooth in x and t and heedless of every constraint: bounded waves of the
 * field and of its neighbours, with drift.
 */
record SmoothFlow(Tensor drift, Tensor gain, double speed) {

  static SmoothFlow random(Rng rng, Shape shape, DataType type) {
    Tensor drift = Laws.normal(rng.split("drift"), shape, type);
    Tensor gain = Laws.normal(rng.split("gain"), shape, type);
    return new SmoothFlow(drift, gain, 1 + 5 * rng.nextDouble());
  }

  Tensor velocity(Tensor x, double t) {
    Tensor neighbour = x.padCircular(3, 1, 0).slice(3, 0, x.dim(3));
    Tensor waves = x.add(speed * t).sin().mul(gain).add(neighbour.mul(0.7).cos());
    return waves.add(drift.mul(Math.cos(speed * t)));
  }

  boolean moves(Tensor x, Tensor start) {
    return x.sub(start).abs().max(false).item() > 1e-3;
  }
}
