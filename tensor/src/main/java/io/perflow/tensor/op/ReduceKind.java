package io.perflow.tensor.op;

/** What a reduction computes from the numbers. */
public enum ReduceKind {
  /** Their sum; 0 for none. */
  SUM,
  /** The largest, NaN when there is one; minus infinity for none. */
  MAX,
  /** The smallest, NaN when there is one; plus infinity for none. */
  MIN
}
