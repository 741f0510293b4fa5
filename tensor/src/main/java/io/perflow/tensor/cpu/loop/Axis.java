package io.perflow.tensor.cpu.loop;

import io.perflow.tensor.Shape;

/** A row-major tensor seen along one axis: element (o, i, j) is number (o n + i) inner + j. */
public record Axis(int outer, int n, int inner) {
  public static Axis of(Shape shape, int axis) {
    int outer = 1;
    int inner = 1;
    for (int a = 0; a < axis; a++) {
      outer *= shape.dim(a);
    }
    for (int a = axis + 1; a < shape.rank(); a++) {
      inner *= shape.dim(a);
    }
    return new Axis(outer, shape.dim(axis), inner);
  }
}
