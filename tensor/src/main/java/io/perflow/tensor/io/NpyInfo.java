package io.perflow.tensor.io;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Shape;
import java.util.Optional;

/**
 * The header of an {@link Npy} array, which may be one that no tensor can hold.
 *
 * @param dtype NumPy's name of the type, such as {@code <f4}
 * @param shape the extents in the file, where a complex number counts as one element
 * @param type the type of the tensor that it becomes; none for texts, objects and structures
 * @param complex whether its numbers are complex, so that the tensor gets a last axis (re, im)
 */
public record NpyInfo(String dtype, Shape shape, Optional<DataType> type, boolean complex) {}
