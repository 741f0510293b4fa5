package io.perflow.tensor.op;

/**
 * The tensors that an operation's gradient uses. Bit i of {@code inputs} stands for input i, bit i
 * of {@code outputs} for output i.
 */
public record Saved(int inputs, int outputs) {
  /** Saves nothing; the gradient uses shapes only, as for a sum. */
  public static final Saved NOTHING = new Saved(0, 0);

  /** Saves every input. */
  public static final Saved INPUTS = new Saved(-1, 0);

  /** Saves the result, as for exp. */
  public static final Saved OUTPUT = new Saved(0, 1);

  /** Returns some inputs by their position. */
  public static Saved inputs(int... positions) {
    int bits = 0;
    for (int position : positions) {
      bits |= 1 << position;
    }
    return new Saved(bits, 0);
  }

  /**
   * Returns what a product of inputs 0 and 1 saves: the gradient of each factor uses the other
   * factor. Bit i of {@code needed} says that input i needs one.
   */
  public static Saved otherFactor(int needed) {
    return new Saved((needed & 1) << 1 | needed >> 1 & 1, 0);
  }

  /** Returns this and some outputs by their position. */
  public Saved andOutputs(int... positions) {
    return new Saved(inputs, inputs(positions).inputs);
  }

  /** Returns whether input i is needed. */
  public boolean input(int i) {
    return (inputs >> i & 1) != 0;
  }

  /** Returns whether output i is needed. */
  public boolean output(int i) {
    return (outputs >> i & 1) != 0;
  }
}
