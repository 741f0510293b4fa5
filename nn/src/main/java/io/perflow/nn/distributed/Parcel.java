package io.perflow.nn.distributed;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Tensor;
import java.io.Serializable;
import java.util.List;

/**
 * A tensor on its way to another process: items and results of an {@link Engine} hold parcels
 * instead of tensors.
 *
 * @param shape of the tensor
 * @param numbers its entries, {@code float[]} or {@code double[]}
 */
public record Parcel(List<Integer> shape, Serializable numbers) implements Serializable {
  /** Packs a tensor; its device is forgotten. */
  public static Parcel of(Tensor x) {
    List<Integer> shape =
        List.of(java.util.Arrays.stream(x.shape().toArray()).boxed().toArray(Integer[]::new));
    return new Parcel(shape, x.type() == DataType.F64 ? x.toDoubles() : x.toFloats());
  }

  /** Returns the tensor, on the CPU, with the same bits. */
  public Tensor tensor() {
    int[] sizes = shape.stream().mapToInt(Integer::intValue).toArray();
    return numbers instanceof double[] wide
        ? Tensor.of(wide, sizes)
        : Tensor.of((float[]) numbers, sizes);
  }
}
