package io.perflow.cuda;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.cuda.driver.CudaDriver;
import io.perflow.cuda.driver.Fft;
import io.perflow.cuda.emulator.EmulatedDriver;
import io.perflow.cuda.emulator.Emulator;
import io.perflow.fixtures.Close;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Fourier;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.FftKernels;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * How transforms reach a library, with one on the host that sums what the interface says, and is as
 * strict as it allows.
 */
class LibraryTransformsTest {
  private final EmulatedDriver emulated = EmulatedDriver.create();
  private final Sums library = new Sums();

  // The emulated device, with a library beside it.
  private CudaDriver driver() {
    CudaDriver driver =
        (CudaDriver)
            Proxy.newProxyInstance(
                CudaDriver.class.getClassLoader(),
                new Class<?>[] {CudaDriver.class},
                (_, method, args) -> {
                  try {
                    return method.getName().equals("fft") ? library : method.invoke(emulated, args);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
    driver.init();
    return driver;
  }

  private Device device() {
    Device device = CudaBackend.open(driver(), 0, "with a library");
    Emulated.backend(device).useCufft();
    return device;
  }

  private record Plan(Fft.Kind kind, boolean doubles, int[] sizes, int count) {
    int bytes() {
      return doubles ? 8 : 4;
    }

    int points() {
      return Arrays.stream(sizes).reduce(1, (a, b) -> a * b);
    }

    int last() {
      return sizes[sizes.length - 1];
    }

    // Numbers of a transform in half spectra.
    int halfNumbers() {
      return 2 * (points() / last()) * (last() / 2 + 1);
    }
  }

  /** Transforms by their definition. */
  private final class Sums implements Fft {
    final Map<Long, Plan> plans = new HashMap<>();
    long planned;
    int calls;

    @Override
    public long plan(Kind kind, boolean doubles, int[] sizes, int count) {
      assertTrue(sizes.length <= 3 && count > 0);
      plans.put(++planned, new Plan(kind, doubles, sizes, count));
      return planned;
    }

    @Override
    public void destroy(long plan) {
      assertTrue(plans.remove(plan) != null, "destroyed twice");
    }

    @Override
    public void transform(long plan, long from, long to, boolean inverse, long stream) {
      calls++;
      Plan p = plans.get(plan);
      assertEquals(0, from % (2L * p.bytes()), "alignment");
      emulated.streamSynchronize(stream);
      int complex = 2 * p.points();
      int in =
          switch (p.kind) {
            case COMPLEX -> complex;
            case REAL_TO_HALF -> p.points();
            case HALF_TO_REAL -> p.halfNumbers();
          };
      double[] all = read(p, from, in * p.count, stream);
      int out =
          switch (p.kind) {
            case COMPLEX -> complex;
            case REAL_TO_HALF -> p.halfNumbers();
            case HALF_TO_REAL -> p.points();
          };
      double[] results = new double[out * p.count];
      for (int t = 0; t < p.count; t++) {
        double[] line = Arrays.copyOfRange(all, t * in, (t + 1) * in);
        System.arraycopy(one(p, line, inverse), 0, results, t * out, out);
      }
      write(p, to, results, stream);
      if (p.kind == Kind.HALF_TO_REAL) { // may be overwritten, so it is
        Arrays.fill(all, Double.NaN);
        write(p, from, all, stream);
      }
    }

    private double[] one(Plan p, double[] x, boolean inverse) {
      int n = p.last();
      return switch (p.kind) {
        case COMPLEX -> dft(x, p.sizes, inverse);
        case REAL_TO_HALF -> {
          double[] full = new double[2 * x.length];
          for (int i = 0; i < x.length; i++) {
            full[2 * i] = x[i];
          }
          double[] spectrum = dft(full, p.sizes, false);
          double[] half = new double[p.halfNumbers()];
          int kept = n / 2 * 2 + 2;
          for (int row = 0; row < p.points() / n; row++) {
            System.arraycopy(spectrum, row * 2 * n, half, row * kept, kept);
          }
          yield half;
        }
        case HALF_TO_REAL -> {
          assertEquals(1, p.sizes.length, "of several axes it is undefined for most spectra");
          assertEquals(0, x[1], "frequency 0 of real numbers is real");
          assertTrue(n % 2 == 1 || x[n + 1] == 0, "frequency n / 2 of real numbers is real");
          double[] full = new double[2 * n];
          for (int k = 0; k < n; k++) {
            boolean mirrored = 2 * k > n;
            int from = mirrored ? n - k : k;
            full[2 * k] = x[2 * from];
            full[2 * k + 1] = mirrored ? -x[2 * from + 1] : x[2 * from + 1];
          }
          double[] y = dft(full, p.sizes, true);
          yield IntStream.range(0, n).mapToDouble(i -> y[2 * i]).toArray();
        }
      };
    }
  }

  // y(k) = sum over j of x(j) exp(-+2 pi i (k1 j1 / n1 + k2 j2 / n2 + …)).
  private static double[] dft(double[] x, int[] sizes, boolean inverse) {
    int points = x.length / 2;
    double[] y = new double[x.length];
    for (int k = 0; k < points; k++) {
      for (int j = 0; j < points; j++) {
        double turns = 0;
        int restK = k;
        int restJ = j;
        for (int a = sizes.length - 1; a >= 0; a--) {
          int n = sizes[a];
          turns += (double) ((long) (restK % n) * (restJ % n) % n) / n;
          restK /= n;
          restJ /= n;
        }
        double angle = (inverse ? 2 : -2) * Math.PI * turns;
        double cos = Math.cos(angle);
        double sin = Math.sin(angle);
        y[2 * k] += x[2 * j] * cos - x[2 * j + 1] * sin;
        y[2 * k + 1] += x[2 * j] * sin + x[2 * j + 1] * cos;
      }
    }
    return y;
  }

  private double[] read(Plan p, long from, int count, long stream) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment numbers = arena.allocate((long) count * p.bytes(), 8);
      emulated.memcpyDtoHAsync(numbers, from, numbers.byteSize(), stream);
      emulated.streamSynchronize(stream);
      double[] values = new double[count];
      for (int i = 0; i < count; i++) {
        values[i] =
            p.doubles ? numbers.getAtIndex(JAVA_DOUBLE, i) : numbers.getAtIndex(JAVA_FLOAT, i);
      }
      return values;
    }
  }

  private void write(Plan p, long to, double[] values, long stream) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment numbers = arena.allocate((long) values.length * p.bytes(), 8);
      for (int i = 0; i < values.length; i++) {
        if (p.doubles) {
          numbers.setAtIndex(JAVA_DOUBLE, i, values[i]);
        } else {
          numbers.setAtIndex(JAVA_FLOAT, i, (float) values[i]);
        }
      }
      emulated.memcpyHtoDAsync(to, numbers, numbers.byteSize(), stream);
      emulated.streamSynchronize(stream);
    }
  }

  private static Tensor normal(String name, int... shape) {
    return Rng.of(3).split(name).normal(Shape.of(shape));
  }

  private void check(
      String what,
      Device device,
      Tensor x,
      boolean byLibrary,
      BiFunction<FftKernels, Tensor, Tensor> transform) {
    for (DataType type : DataType.values()) {
      int before = library.calls;
      Tensor here = x.to(type);
      Tensor there = here.to(device);
      Tensor expected = transform.apply(Device.cpu().backend().fft(), here);
      Tensor actual = transform.apply(device.backend().fft(), there);
      Close.assertClose(what, expected, actual, 8 * Close.tolerance(type));
      Close.assertClose(what + ": what was read", here, there, 0);
      assertEquals(byLibrary ? 1 : 0, library.calls - before, what);
    }
  }

  @Test
  void everyTransformIsRight() {
    Device device = device();
    for (int n : new int[] {2, 7, 8, 12}) {
      Tensor complex = normal("z", 3, 5, n, 2);
      Tensor real = normal("x", 3, 5, n);
      Tensor half = normal("h", 3, 5, n / 2 + 1, 2); // the spectrum of no real numbers
      for (int axes = 1; axes <= 3; axes++) {
        String what = n + ", axes " + axes + ", ";
        int a = axes;
        int[] sizes = Arrays.copyOfRange(new int[] {3, 5, n}, 3 - axes, 3);
        check(what + "fft", device, complex, true, (fft, x) -> fft.fft(x, a, false, 1));
        check(what + "ifft", device, complex, true, (fft, x) -> fft.fft(x, a, true, 0.25));
        check(what + "rfft", device, real, true, (fft, x) -> fft.rfft(x, a, 1));
        check(what + "scaled rfft", device, real, true, (fft, x) -> fft.rfft(x, a, 3));
        check(what + "irfft", device, half, true, (fft, x) -> fft.irfft(x, sizes, 0.125));
        check(what + "of rfft", device, half, true, (fft, x) -> fft.rfftAdjoint(x, sizes, 0.5));
        check(what + "of irfft", device, real, true, (fft, x) -> fft.irfftAdjoint(x, a, 0.5));
      }
    }
  }

  @Test
  void whatTheLibraryDoesNotTakeIsOurs() {
    Device device = device();
    check("length 1", device, normal("short", 4, 1), false, (fft, x) -> fft.rfft(x, 1, 1));
    check("nothing", device, normal("none", 0, 4, 2), false, (fft, x) -> fft.fft(x, 1, false, 1));
  }

  @Test
  void adjointsAreTransposes() {
    Device device = device();
    FftKernels fft = device.backend().fft();
    Tensor x = normal("x", 2, 5, 6).to(DataType.F64).to(device);
    Tensor h = normal("h", 2, 5, 4, 2).to(DataType.F64).to(device);
    int[] sizes = {5, 6};
    double forward = fft.rfft(x, 2, 2).mul(h).sum().item();
    assertEquals(forward, fft.rfftAdjoint(h, sizes, 2).mul(x).sum().item(), 1e-10);
    double inverse = fft.irfft(h, sizes, 2).mul(x).sum().item();
    assertEquals(inverse, fft.irfftAdjoint(x, 2, 2).mul(h).sum().item(), 1e-10);
  }

  @Test
  void viewsAreMadeDense() {
    Device device = device();
    Tensor real = normal("x", 6, 9);
    Tensor complex = normal("z", 6, 5, 2);
    Map<String, UnaryOperator<Tensor>> views =
        Map.of(
            "turned", x -> Fourier.rfft(x.transpose(), 1),
            "part", x -> Fourier.rfft(x.slice(1, 1, 7), 2),
            "rows from an odd address", x -> Fourier.rfft(x.slice(0, 1, 4), 1));
    views.forEach(
        (what, f) -> Close.assertClose(what, f.apply(real), f.apply(real.to(device)), 1e-5));
    UnaryOperator<Tensor> back = x -> Fourier.irfft(x.slice(0, 1, 4), 3, 8);
    Close.assertClose("spectrum", back.apply(complex), back.apply(complex.to(device)), 1e-5);
    assertEquals(4, library.calls);
  }

  @Test
  void imaginaryPartsThatNumpyIgnoresMayBeAnything() {
    Device device = device();
    float inf = Float.POSITIVE_INFINITY;
    float[] spectrum = {3, Float.NaN, 1, 2, 5, inf};
    Tensor x = Tensor.of(spectrum, 3, 2);
    // numpy.fft.irfft([3, 1 + 2j, 5], 4)
    Tensor expected = Tensor.of(new float[] {2.5f, -1.5f, 1.5f, 0.5f}, 4);
    Close.assertClose("ignored", expected, Fourier.irfft(x.to(device), 4), 1e-6);
    assertEquals(1, library.calls);
  }

  @Test
  void plansAreKeptAndDestroyedWithTheDevice() {
    Gpu gpu = new Gpu(driver(), 0, "closed");
    gpu.named(Device.cpu()); // views of tensors ask for one, and nothing more
    Elementwise elementwise = new Elementwise(gpu);
    Transforms transforms = new Transforms(gpu, new Memory(gpu, elementwise), elementwise);
    transforms.use(gpu.fft());
    try (Scope _ = Scope.open()) {
      Tensor x = gpu.fresh(DataType.F32, Shape.of(2, 64, 80));
      gpu.fill(CudaStorage.of(x).address(), x.type(), x.size(), 1);
      for (int i = 0; i < 3; i++) {
        transforms.rfft(x.slice(2, 0, 4), 1, 1);
      }
      assertEquals(1, library.planned, "one for all of a kind");
      for (int n = 5; n < 75; n++) {
        transforms.rfft(x.slice(2, 0, n).slice(1, 0, 1), 1, 1);
      }
      assertEquals(71, library.planned);
      assertEquals(64, library.plans.size(), "the least used make room");
    }
    gpu.close();
    assertEquals(0, library.plans.size());
  }

  @Test
  void absenceIsOneLineAndChangesNothing() {
    Device device = Emulator.over(EmulatedDriver.create());
    var e = assertThrows(IllegalStateException.class, () -> Emulated.backend(device).useCufft());
    assertEquals("[cuda] this device has no cuFFT", e.getMessage());
    Tensor x = normal("x", 3, 4);
    Close.assertClose("ours", Fourier.rfft(x, 1), Fourier.rfft(x.to(device), 1), 1e-5);
  }
}
