package io.perflow.nn.operator;

import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Arrays;

/** The position of each point as channels, so that a network can tell places apart. */
final class Coordinates {
  private Coordinates() {}

  /** Appends to x (n, c, s1, s2 …) one channel per axis: 0 to 1 in equal steps, ends included. */
  static Tensor append(Tensor x) {
    int axes = x.rank() - 2;
    Tensor[] parts = new Tensor[1 + axes];
    parts[0] = x;
    Shape one = x.shape().with(1, 1);
    for (int a = 0; a < axes; a++) {
      int size = x.dim(2 + a);
      float[] line = new float[size];
      for (int i = 0; i < size; i++) {
        line[i] = size == 1 ? 0 : (float) (i / (size - 1.0));
      }
      int[] along = new int[x.rank()];
      Arrays.fill(along, 1);
      along[2 + a] = size;
      parts[1 + a] = Tensor.of(line, along).to(x.type()).to(x.device()).expand(one);
    }
    return Tensor.concat(1, parts);
  }
}
