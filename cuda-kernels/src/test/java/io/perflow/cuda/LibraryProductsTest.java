package io.perflow.cuda;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.cuda.driver.Blas;
import io.perflow.cuda.driver.CudaDriver;
import io.perflow.cuda.emulator.EmulatedDriver;
import io.perflow.cuda.emulator.Emulator;
import io.perflow.fixtures.Close;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;

/** How products reach a BLAS, with one on the host that does what the standard's text says. */
class LibraryProductsTest {
  private final EmulatedDriver emulated = EmulatedDriver.create();
  private int calls;

  // The emulated device, with a BLAS beside it.
  private Device device() {
    CudaDriver driver =
        (CudaDriver)
            Proxy.newProxyInstance(
                CudaDriver.class.getClassLoader(),
                new Class<?>[] {CudaDriver.class},
                (_, method, args) -> {
                  try {
                    return method.getName().equals("blas")
                        ? (Blas) this::multiply
                        : method.invoke(emulated, args);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
    driver.init();
    return CudaBackend.open(driver, 0, "with a library");
  }

  /** c(i, j) = factor sum over l of op(a)(i, l) op(b)(l, j), column by column. */
  private void multiply(
      boolean doubles,
      int m,
      int n,
      int k,
      double factor,
      Blas.Matrix a,
      Blas.Matrix b,
      Blas.Matrix c,
      int count,
      long stream) {
    calls++;
    emulated.streamSynchronize(stream);
    for (int s = 0; s < count; s++) {
      for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
          double sum = 0;
          for (int l = 0; l < k; l++) {
            sum += read(doubles, a, s, i, l, stream) * read(doubles, b, s, l, j, stream);
          }
          write(doubles, at(doubles, c, s, i, j), factor * sum, stream);
        }
      }
    }
  }

  private static long at(boolean doubles, Blas.Matrix x, int s, int row, int col) {
    long element =
        s * x.stride()
            + (x.transposed() ? col + (long) row * x.pitch() : row + (long) col * x.pitch());
    return x.address() + element * (doubles ? 8 : 4);
  }

  private double read(boolean doubles, Blas.Matrix x, int s, int row, int col, long stream) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment number = arena.allocate(8, 8);
      emulated.memcpyDtoHAsync(number, at(doubles, x, s, row, col), doubles ? 8 : 4, stream);
      emulated.streamSynchronize(stream);
      return doubles ? number.get(JAVA_DOUBLE, 0) : number.get(JAVA_FLOAT, 0);
    }
  }

  private void write(boolean doubles, long to, double value, long stream) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment number = arena.allocate(8, 8);
      if (doubles) {
        number.set(JAVA_DOUBLE, 0, value);
      } else {
        number.set(JAVA_FLOAT, 0, (float) value);
      }
      emulated.memcpyHtoDAsync(to, number, doubles ? 8 : 4, stream);
      emulated.streamSynchronize(stream);
    }
  }

  private static Tensor normal(String name, int... shape) {
    return Rng.of(2).split(name).normal(Shape.of(shape));
  }

  private void check(String what, Device device, Tensor a, Tensor b, boolean byLibrary) {
    for (DataType type : DataType.values()) {
      int before = calls;
      Tensor there = a.to(type).to(device).matmul(b.to(type).to(device));
      Close.assertClose(what, a.to(type).matmul(b.to(type)), there, Close.tolerance(type));
      assertEquals(byLibrary ? 1 : 0, calls - before, what);
    }
  }

  @Test
  void everyLayoutIsRight() {
    Device device = device();
    Emulated.backend(device).useCublas();
    check("plain", device, normal("a", 3, 5), normal("b", 5, 4), true);
    check("batch", device, normal("a", 2, 3, 5), normal("b", 2, 5, 4), true);
    check("shared right", device, normal("a", 2, 3, 5), normal("b", 5, 4), true);
    check("shared left", device, normal("a", 3, 5), normal("b", 2, 5, 4), true);
    check("row", device, normal("a", 1, 5), normal("b", 5, 4), true);
    check("column", device, normal("a", 3, 5), normal("b", 5, 1), true);
    check("outer", device, normal("a", 3, 1), normal("b", 1, 4), true);
    check("two batches", device, normal("a", 2, 2, 3, 5), normal("b", 2, 2, 5, 4), true);
    check("crossed", device, normal("a", 2, 1, 3, 5), normal("b", 1, 2, 5, 4), false);
    check("nothing to sum", device, normal("a", 3, 0), normal("b", 0, 4), false);
  }

  @Test
  void viewsAreTakenAsTheyLie() {
    Device device = device();
    Emulated.backend(device).useCublas();
    Tensor a = normal("a", 6, 7);
    Tensor b = normal("b", 7, 8);
    Tensor expected = a.matmul(b);
    Tensor there = a.transpose().contiguous().to(device).transpose();
    Tensor turned = b.transpose().contiguous().to(device).transpose();
    Close.assertClose("left", expected, there.matmul(b.to(device)), 2e-6);
    Close.assertClose("right", expected, a.to(device).matmul(turned), 2e-6);
    Close.assertClose("both", expected, there.matmul(turned), 2e-6);
    Tensor part = a.to(device).slice(1, 2, 5).slice(0, 1, 4);
    Tensor other = b.to(device).slice(0, 2, 5).slice(1, 3, 7);
    Close.assertClose(
        "parts",
        a.slice(1, 2, 5).slice(0, 1, 4).matmul(b.slice(0, 2, 5).slice(1, 3, 7)),
        part.matmul(other),
        2e-6);
    assertEquals(4, calls);
  }

  @Test
  void absenceIsOneLineAndChangesNothing() {
    Device device = Emulator.over(EmulatedDriver.create());
    var e = assertThrows(IllegalStateException.class, () -> Emulated.backend(device).useCublas());
    assertEquals("[cuda] this device has no cuBLAS", e.getMessage());
    Tensor x = normal("x", 3, 3).to(device);
    assertTrue(Double.isFinite(x.matmul(x).sum().item()));
  }
}
