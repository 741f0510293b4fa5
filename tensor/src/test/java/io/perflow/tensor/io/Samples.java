package io.perflow.tensor.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Provide;
import net.jqwik.api.domains.DomainContextBase;

/** Tensors of all shapes, types and layouts, and the fixture files. */
final class Samples extends DomainContextBase {
  /** Tensors of random shape, numbers (NaN and infinities too), type and layout. */
  @Provide
  Arbitrary<Tensor> tensors() {
    return Combinators.combine(
            Arbitraries.integers().between(0, 5).array(int[].class).ofMaxSize(4),
            Arbitraries.of(DataType.values()),
            Arbitraries.longs())
        .as(
            (extents, type, seed) ->
                view(new Random(seed), random(new Random(~seed), type, extents)));
  }

  static Tensor random(Random random, DataType type, int... extents) {
    int size = Shape.of(extents).size();
    if (type == DataType.F32) {
      float[] numbers = new float[size];
      for (int i = 0; i < size; i++) {
        numbers[i] = Float.intBitsToFloat(random.nextInt());
      }
      return Tensor.of(numbers, extents);
    }
    double[] numbers = new double[size];
    for (int i = 0; i < size; i++) {
      numbers[i] = Double.longBitsToDouble(random.nextLong());
    }
    return Tensor.of(numbers, extents);
  }

  /** A few of: axes exchanged, every second entry, backwards, repeated. */
  static Tensor view(Random random, Tensor x) {
    Tensor y = x;
    for (int step = random.nextInt(4); step > 0; step--) {
      int axis = y.rank() == 0 ? 0 : random.nextInt(y.rank());
      y =
          switch (random.nextInt(4)) {
            case 0 -> y.rank() < 2 ? y : y.transpose();
            case 1 -> y.rank() == 0 ? y : y.slice(axis, 0, (y.dim(axis) + 1) / 2, 2);
            case 2 -> y.rank() == 0 ? y : y.flip(axis);
            default -> y.rank() > 4 ? y : y.expand(y.shape().insert(0, 2));
          };
    }
    return y;
  }

  static void assertSame(Tensor expected, Tensor actual) {
    assertEquals(expected.type(), actual.type());
    assertEquals(expected.shape(), actual.shape());
    assertArrayEquals(expected.toDoubles(), actual.toDoubles());
  }

  /** Copies a fixture to a directory. */
  static Path fixture(Path directory, String name) {
    Path file = directory.resolve(name);
    try (InputStream in = Samples.class.getResourceAsStream("/io/perflow/fixtures/io/" + name)) {
      Files.write(file, in.readAllBytes());
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
