package io.perflow.physics;

import io.perflow.tensor.Named;

/** Ways to choose the units of a network for the data of a problem. */
public enum Scaling {
  /** Mean 0 and standard deviation 1 for every {@linkplain Problem#groups group} of channels. */
  UNIT(1),
  /** Mean 0 and standard deviation 0.5, which EDM's noise levels are made for; used by FunDPS. */
  HALF(0.5);

  private final double deviation;

  Scaling(double deviation) {
    this.deviation = deviation;
  }

  /** Returns the standard deviation of data in these units. */
  public double deviation() {
    return deviation;
  }

  /** Returns the units for data with these moments. */
  public Normalization fit(Problem problem, Moments moments) {
    return Normalization.fit(moments, problem.groups(), deviation);
  }

  @Override
  public String toString() {
    return Named.of(this);
  }
}
