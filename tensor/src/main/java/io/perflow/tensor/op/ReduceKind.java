package io.perflow.tensor.op;

/** The kinds of reductions. */
public enum ReduceKind {
  /** The sum; 0 for no numbers. */
  SUM,
  /** The largest number, or NaN if there is one; minus infinity for no numbers. */
  MAX,
  /** The smallest number, or NaN if there is one; plus infinity for no numbers. */
  MIN
}
