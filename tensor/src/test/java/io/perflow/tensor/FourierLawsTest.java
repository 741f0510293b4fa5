package io.perflow.tensor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.perflow.fixtures.Close;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** The laws of Fourier, cosine and sine transforms of any size. */
class FourierLawsTest {
  private static Tensor normal(long seed, DataType type, int... shape) {
    return Rng.of(seed).normal(Device.cpu(), Shape.of(shape), type);
  }

  @Property(tries = 60)
  void inversesComeBack(
      @ForAll @IntRange(min = 1, max = 50) int h,
      @ForAll @IntRange(min = 1, max = 50) int w,
      @ForAll DataType type,
      @ForAll long seed) {
    double tolerance = Close.tolerance(type);
    Tensor x = normal(seed, type, 2, h, w);
    Close.assertClose("rfft", x, Fourier.irfft(Fourier.rfft(x, 2), h, w), tolerance);
    Close.assertClose("dct", x, Fourier.idct2(Fourier.dct2(x, 1), 1), tolerance);
    Close.assertClose("dst", x, Fourier.idst1(Fourier.dst1(x, 2), 2), tolerance);
    Tensor z = normal(seed, type, h, w, 2);
    Close.assertClose("fft", z, Fourier.ifft(Fourier.fft(z, 2), 2), tolerance);
  }

  @Property(tries = 60)
  void parseval(@ForAll @IntRange(min = 1, max = 300) int n, @ForAll long seed) {
    Tensor z = normal(seed, DataType.F64, n, 2);
    double before = z.square().sum().item();
    double after = Fourier.fft(z, 1).square().sum().item() / n;
    assertEquals(before, after, 1e-12 * before);
  }

  @Property(tries = 40)
  void linear(@ForAll @IntRange(min = 1, max = 100) int n, @ForAll long seed) {
    Tensor x = normal(seed, DataType.F64, n);
    Tensor y = normal(seed + 1, DataType.F64, n);
    Tensor together = Fourier.rfft(x.addScaled(y, 0.7), 1);
    Tensor apart = Fourier.rfft(x, 1).addScaled(Fourier.rfft(y, 1), 0.7);
    Close.assertClose("linearity", together, apart, 1e-12);
  }
}
