package io.perflow.autograd;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.perflow.fixtures.OpCase;
import io.perflow.fixtures.OpCases;
import io.perflow.fixtures.Samples;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.Cast;
import io.perflow.tensor.op.Op;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Every operation's gradient against central differences, and the law of adjoints for linear ones.
 */
class OpGradientTest {
  // What no operation uses: sums are an operation of their own.
  private static final Set<String> UNUSED = Set.of("Extremum.kind=SUM");

  @TestFactory
  Stream<DynamicTest> gradientsAgreeWithDifferences() {
    return OpCases.all().stream()
        .flatMap(c -> c.variants().stream())
        .map(
            v ->
                dynamicTest(
                    v.name(), () -> GradCheck.require(v.test().function(), v.test().moving())));
  }

  @TestFactory
  Stream<DynamicTest> linearOperationsHaveTheirAdjoints() {
    return OpCases.all().stream()
        .filter(OpCase::linear)
        .flatMap(c -> c.variants().stream())
        .map(v -> dynamicTest(v.name(), () -> requireAdjoint(v.test())));
  }

  // <A x, y> = <x, A' y>, with x all moving inputs together
  private static void requireAdjoint(OpCase test) {
    Tensor[] in = test.moving();
    try (Tape tape = Tape.watching(in)) {
      Tensor ax = test.function().apply(in);
      Tensor y = Samples.of(99, ax.shape().toArray()).to(ax.device());
      Gradients gradients = tape.gradients(ax, y);
      double right = 0;
      for (Tensor x : in) {
        right += Samples.dot(x, gradients.of(x));
      }
      double left = Samples.dot(ax, y);
      assertEquals(left, right, 1e-12 * Math.max(1, ax.size()), "<Ax, y> and <x, A'y>");
    }
  }

  // Rules may skip, and the tape not keep, what only the other inputs' gradients need.
  @TestFactory
  Stream<DynamicTest> oneInputAloneHasTheSameGradient() {
    return OpCases.all().stream()
        .filter(c -> c.moving().length > 1)
        .flatMap(c -> c.variants().stream())
        .map(v -> dynamicTest(v.name(), () -> requireSameAlone(v.test())));
  }

  private static void requireSameAlone(OpCase test) {
    Tensor[] in = test.moving();
    Gradients together = gradients(test, in);
    for (Tensor x : in) {
      double[] alone = gradients(test, x).of(x).toDoubles();
      assertArrayEquals(together.of(x).toDoubles(), alone, 1e-14);
    }
  }

  private static Gradients gradients(OpCase test, Tensor... leaves) {
    try (Tape tape = Tape.watching(leaves)) {
      Tensor y = test.function().apply(test.moving());
      return tape.gradients(y, Samples.of(99, y.shape().toArray()).to(y.device()));
    }
  }

  // Rounding to F32 has no differences to speak of; its adjoint rounds the gradient.
  @Test
  void castsPassGradientsBack() {
    Tensor x = Samples.of(1, 2, 3);
    Tensor y = Samples.of(2, 2, 3);
    try (Tape tape = Tape.watching(x)) {
      Gradients g = tape.gradients(new Cast(DataType.F32).apply(x), y.to(DataType.F32));
      assertEquals(DataType.F64, g.of(x).type());
      assertEquals(0, Samples.relativeError(g.of(x), y), 1e-7);
    }
    Tensor single = x.to(DataType.F32);
    try (Tape tape = Tape.watching(single)) {
      Gradients g = tape.gradients(new Cast(DataType.F64).apply(single), y);
      assertEquals(DataType.F32, g.of(single).type());
      assertEquals(0, Samples.relativeError(g.of(single), y), 1e-7);
    }
  }

  @Test
  void everyOperationAndEveryChoiceHasACheck() throws ReflectiveOperationException {
    Set<String> checked = new TreeSet<>(choices(new Cast(DataType.F32)));
    checked.addAll(choices(new Cast(DataType.F64)));
    for (OpCase test : OpCases.all()) {
      checked.addAll(choices(test.op()));
    }
    Set<String> missing = new TreeSet<>();
    for (Class<?> op : operations()) {
      missing.addAll(allChoices(op));
    }
    assertTrue(missing.size() > 80, () -> "found too few operations: " + missing);
    missing.removeAll(checked);
    missing.removeAll(UNUSED);
    assertEquals(Set.of(), missing, "operations or attributes without a case in OpCases");
  }

  /** The classes of the operations' package that implement Op, from its directory or jar. */
  private static List<Class<?>> operations() {
    try {
      Path root = Path.of(Op.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      if (Files.isDirectory(root)) {
        return operations(root);
      }
      try (FileSystem jar = FileSystems.newFileSystem(root)) {
        return operations(jar.getPath("/"));
      }
    } catch (IOException | URISyntaxException | ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }

  private static List<Class<?>> operations(Path root) throws IOException, ClassNotFoundException {
    String name = Op.class.getPackageName();
    List<Class<?>> found = new ArrayList<>();
    try (Stream<Path> files = Files.list(root.resolve(name.replace('.', '/')))) {
      for (Path file : files.toList()) {
        String simple = file.getFileName().toString();
        if (simple.endsWith(".class")) {
          Class<?> type = Class.forName(name + "." + simple.substring(0, simple.length() - 6));
          if (Op.class.isAssignableFrom(type) && !Modifier.isAbstract(type.getModifiers())) {
            found.add(type);
          }
        }
      }
    }
    return found;
  }

  /** The operation's name, and every value it can have for an attribute of few values. */
  private static Set<String> allChoices(Class<?> op) {
    Set<String> all = new TreeSet<>(Set.of(op.getSimpleName()));
    collect(op.getSimpleName(), op, all);
    return all;
  }

  private static void collect(String path, Class<?> type, Set<String> all) {
    if (!type.isRecord()) {
      return;
    }
    for (RecordComponent component : type.getRecordComponents()) {
      Class<?> kind = component.getType();
      String name = path + "." + component.getName();
      if (kind == boolean.class) {
        all.addAll(List.of(name + "=false", name + "=true"));
      } else if (kind.isEnum()) {
        for (Object constant : kind.getEnumConstants()) {
          all.add(name + "=" + constant);
        }
      } else {
        collect(name, kind, all);
      }
    }
  }

  /** The operation's name and the values it has. */
  private static Set<String> choices(Op op) throws ReflectiveOperationException {
    Set<String> chosen = new TreeSet<>(Set.of(op.getClass().getSimpleName()));
    collect(op.getClass().getSimpleName(), op, chosen);
    return chosen;
  }

  private static void collect(String path, Object value, Set<String> chosen)
      throws IllegalAccessException, InvocationTargetException {
    if (!value.getClass().isRecord()) {
      return;
    }
    for (RecordComponent component : value.getClass().getRecordComponents()) {
      Object part = component.getAccessor().invoke(value);
      String name = path + "." + component.getName();
      if (part instanceof Boolean || part instanceof Enum<?>) {
        chosen.add(name + "=" + part);
      } else {
        collect(name, part, chosen);
      }
    }
  }
}
