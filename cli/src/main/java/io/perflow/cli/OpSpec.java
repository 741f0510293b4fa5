package io.perflow.cli;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Layout;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.List;
import java.util.Map;

/** One entry of a timing list: its fields, and random operands of the shapes that they give. */
record OpSpec(Map<?, ?> fields, Rng rng) {
  /** Returns an entry as it was parsed. */
  static OpSpec of(Object entry) {
    if (!(entry instanceof Map<?, ?> map)) {
      throw new IllegalArgumentException("an operation must be a JSON object, not " + entry);
    }
    return new OpSpec(map, Rng.of(1));
  }

  /** Draws normal numbers of the shape in a field; images lie channels last. */
  Tensor random(String field) {
    return image(contiguous(field));
  }

  /** Draws normal numbers of the shape in a field, row-major. */
  Tensor contiguous(String field) {
    return normal(shape(field));
  }

  /** Returns zeros of the shape in a field. */
  Tensor zeros(String field) {
    return contiguous(field).mul(0);
  }

  /** Draws normal numbers in F32, or in the type of the field {@code type}. */
  Tensor normal(Shape shape) {
    DataType type = fields.containsKey("type") ? DataType.valueOf(text("type")) : DataType.F32;
    return rng.normal(Device.cpu(), shape, type);
  }

  /** Draws normal numbers in an image of the shape of another. */
  Tensor like(Tensor image) {
    return image(normal(image.shape()));
  }

  private static Tensor image(Tensor x) {
    return x.rank() == 4
        ? x.device().backend().memory().copy(x, Layout.channelsLast(x.shape()))
        : x;
  }

  private Shape shape(String field) {
    return Shape.of(numbers(field));
  }

  int[] numbers(String field) {
    if (!(fields.get(field) instanceof List<?> list)) {
      throw new IllegalArgumentException(text("name") + ": no list of numbers \"" + field + "\"");
    }
    return list.stream().mapToInt(n -> ((Number) n).intValue()).toArray();
  }

  int number(String field) {
    if (!(fields.get(field) instanceof Number n)) {
      throw new IllegalArgumentException(text("name") + ": no number \"" + field + "\"");
    }
    return n.intValue();
  }

  String text(String field) {
    if (!(fields.get(field) instanceof String s)) {
      throw new IllegalArgumentException("an operation has no \"" + field + "\": " + fields);
    }
    return s;
  }
}
