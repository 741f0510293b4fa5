package io.perflow.physics.constraint;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;

/**
 * A user's mask and values after checking: numbers that are not under the mask are replaced by 0.
 */
record Masked(Prescribed.Region region, Tensor values) {

  static Masked of(String name, Tensor mask, Tensor values) {
    Tensor places = Broadcasting.fourAxes(name, "mask", mask);
    require(name, mask, "1 where values are known and 0 elsewhere");
    Tensor numbers = values.to(DataType.F64).to(places.device());
    while (numbers.rank() < 4) {
      numbers = numbers.unsqueeze(0);
    }
    Shape both = Shape.broadcast(name, places.shape(), numbers.shape());
    Tensor known = places.where(numbers, Tensor.of(new double[1], 1)).expand(both);
    Constant kept = Constant.of(places);
    return new Masked(_ -> kept.exact(), Broadcasting.fourAxes(name, "values", known.contiguous()));
  }

  /** Refuses a mask with other numbers than 0 and 1, naming their meaning. */
  static void require(String name, Tensor mask, String meaning) {
    for (double place : mask.toDoubles()) {
      if (place != 0 && place != 1) {
        throw new IllegalArgumentException(
            "[%s] mask %s holds %s: a mask is %s".formatted(name, mask.shape(), place, meaning));
      }
    }
  }
}
