package io.perflow.interop;

import io.perflow.physics.Problem;
import io.perflow.tensor.Tensor;
import java.util.List;

/**
 * The fields that {@link FieldFinder} found in files, with their problem.
 *
 * @param problem the axes and quantities; constraints, symmetries and sensors are for the user to
 *     add
 * @param fields the fields of shape [samples, channels, height, width], in physical units, all
 *     finite
 * @param arrays the names of the arrays that they came from
 * @param notes the assumptions and the options that change them, one sentence each
 */
public record Found(Problem problem, Tensor fields, List<String> arrays, List<String> notes) {
  /** Copies the lists. */
  public Found {
    arrays = List.copyOf(arrays);
    notes = List.copyOf(notes);
  }
}
