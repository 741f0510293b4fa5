package io.perflow.cuda;

import io.perflow.tensor.DataType;
import java.lang.foreign.MemorySegment;

/** Numbers of either type on the host. */
final class HostNumbers {
  private HostNumbers() {}

  /** Converts doubles to numbers of a type. */
  static MemorySegment segment(DataType type, double[] doubles) {
    return type == DataType.F64
        ? MemorySegment.ofArray(doubles)
        : MemorySegment.ofArray(floats(doubles));
  }

  static float[] floats(double[] doubles) {
    float[] floats = new float[doubles.length];
    for (int i = 0; i < floats.length; i++) {
      floats[i] = (float) doubles[i];
    }
    return floats;
  }

  static double[] doubles(float[] floats) {
    double[] doubles = new double[floats.length];
    for (int i = 0; i < floats.length; i++) {
      doubles[i] = floats[i];
    }
    return doubles;
  }
}
