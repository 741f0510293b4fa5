package io.perflow.tensor.io;

import static io.perflow.tensor.io.Samples.assertSame;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.domains.Domain;
import net.jqwik.api.domains.DomainContext;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** read(write(x)) = x for all formats, shapes, types, layouts and byte orders. */
@Domain(Samples.class)
@Domain(DomainContext.Global.class)
class RoundTripTest {
  private static Path directory;

  @BeforeContainer
  @BeforeAll
  static void makeDirectory() throws IOException {
    directory = Files.createTempDirectory("round-trip");
  }

  @AfterContainer
  @AfterAll
  static void removeDirectory() throws IOException {
    try (var files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(directory);
  }

  @Property(tries = 500)
  void npyInEveryVersionAndOrder(
      @ForAll Tensor x,
      @ForAll @IntRange(min = 1, max = 3) int version,
      @ForAll boolean big,
      @ForAll boolean fortran)
      throws IOException {
    ByteOrder order = big ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(new NpyHeader(ElementType.of(x.type()), order, fortran, x.shape()).encode(version));
    new ElementWriter(out, order).write(fortran ? reversed(x) : x);
    assertSame(x, read(out));
  }

  private static Tensor reversed(Tensor x) {
    int[] axes = new int[x.rank()];
    for (int i = 0; i < axes.length; i++) {
      axes[i] = axes.length - 1 - i;
    }
    return x.permute(axes);
  }

  private static Tensor read(ByteArrayOutputStream out) throws IOException {
    var in = new ByteArrayInputStream(out.toByteArray());
    return Npy.read(in, new Location("memory", null), out.size());
  }

  @Property(tries = 100)
  void npyFile(@ForAll Tensor x) throws IOException {
    Path file = directory.resolve("x.npy");
    Npy.write(file, x);
    assertSame(x, Npy.read(file));
  }

  @Property(tries = 100)
  void npz(@ForAll @Size(max = 4) List<Tensor> tensors, @ForAll boolean compressed)
      throws IOException {
    Map<String, Tensor> named = named(tensors);
    Path file = directory.resolve("x.npz");
    if (compressed) {
      Npz.writeCompressed(file, named);
    } else {
      Npz.write(file, named);
    }
    try (Npz back = Npz.read(file)) {
      assertEquals(List.copyOf(named.keySet()), List.copyOf(back.names()));
      back.loadAll().forEach((name, x) -> assertSame(named.get(name), x));
    }
  }

  @Property(tries = 100)
  void safetensors(@ForAll @Size(max = 4) List<Tensor> tensors) throws IOException {
    Map<String, Tensor> named = named(tensors);
    Path file = directory.resolve("x.safetensors");
    SafeTensors.write(file, named, Map.of("count", "" + tensors.size()));
    try (SafeTensors back = SafeTensors.read(file)) {
      assertEquals(named.keySet(), back.names());
      assertEquals(Map.of("count", "" + tensors.size()), back.metadata());
      back.loadAll().forEach((name, x) -> assertSame(named.get(name), x));
    }
  }

  private static Map<String, Tensor> named(List<Tensor> tensors) {
    Map<String, Tensor> named = new LinkedHashMap<>();
    for (Tensor tensor : tensors) {
      named.put("layer." + named.size() + " \"ü\"", tensor);
    }
    return named;
  }

  /** Longer than one chunk, in blocks of rows, in rows of several chunks, and in one stretch. */
  @Test
  void arraysOfSeveralChunks() throws IOException {
    Random random = new Random(1);
    List<Tensor> tensors =
        List.of(
            Samples.random(random, DataType.F32, 200_003),
            Samples.random(random, DataType.F64, 300, 500).transpose(),
            Samples.random(random, DataType.F32, 70_000, 3).transpose(),
            Samples.random(random, DataType.F32, 2, 2, 70_000).slice(2, 69_999, 65_537, -1),
            Samples.random(random, DataType.F32, 1, 3).expand(Shape.of(65_536, 3)));
    Path file = directory.resolve("large.npz");
    Npz.write(file, named(tensors));
    try (Npz back = Npz.read(file)) {
      named(tensors).forEach((name, x) -> assertSame(x, load(back, name)));
    }
  }

  private static Tensor load(Npz file, String name) {
    try {
      return file.load(name);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void insideAScopeTheTensorBelongsToIt() throws IOException {
    Tensor x = Samples.random(new Random(2), DataType.F32, 3, 70_000);
    Path file = directory.resolve("scope.npy");
    Npy.write(file, x);
    Tensor kept;
    try (Scope scope = Scope.open()) {
      assertSame(x, Npy.read(file));
      kept = scope.keep(Npy.read(file));
    }
    assertSame(x, kept);
  }
}
