package io.perflow.nn.optim;

/** The optimizer AdamW: {@link Adam} with decoupled weight decay (Loshchilov and Hutter, 2019). */
public final class AdamW {
  private AdamW() {}

  /** Returns AdamW at a constant learning rate, with weight decay 0.01 as in PyTorch. */
  public static Adam.Options of(double rate) {
    return of(Schedule.constant(rate));
  }

  /** Returns AdamW at the learning rates of a schedule, with weight decay 0.01 as in PyTorch. */
  public static Adam.Options of(Schedule schedule) {
    return new Adam.Options(schedule, true).weightDecay(0.01);
  }
}
