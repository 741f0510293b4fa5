package io.perflow.physics;

import io.perflow.tensor.Named;

/** The ways to choose the units of a network for the data of a problem. */
public enum Scaling {
  /**
   * The units have mean 0 and standard deviation 1 for every {@linkplain Problem#groups group} of
   * channels.
   */
  UNIT(1),
  /**
   * The units have mean 0 and standard deviation 0.5, for which EDM's noise levels are made; used
   * by FunDPS.
   */
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
