package io.perflow.cuda;

import io.perflow.cuda.driver.Fft;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.BinaryKind;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The form of Fourier transforms for a library that does not scale, needs numbers without gaps, and
 * inverts only spectra of real numbers. NumPy also defines the inverse of other half spectra. It is
 * computed axis by axis, and only the last axis goes to the library, without the imaginary parts
 * that NumPy ignores.
 */
final class LibraryTransforms {
  // Plans hold device memory, so programs that transform more shapes than this recreate them.
  private static final int MOST_PLANS = 64;

  private record Key(Fft.Kind kind, boolean doubles, List<Integer> sizes, int count) {}

  private final Gpu gpu;
  private final Fft fft;
  private final Memory memory;
  private final Elementwise elementwise;
  private final Roots roots;
  private final Map<Key, Long> plans = new LinkedHashMap<>(16, 0.75f, true); // least used first

  LibraryTransforms(Gpu gpu, Fft fft, Memory memory, Elementwise elementwise, Roots roots) {
    this.gpu = gpu;
    this.fft = fft;
    this.memory = memory;
    this.elementwise = elementwise;
    this.roots = roots;
  }

  /** Returns whether the library can transform axes of these sizes together. */
  static boolean takes(int... sizes) {
    return Arrays.stream(sizes).allMatch(n -> n > 1);
  }

  /** Transforms as {@link Transforms#fft} does. */
  Tensor fft(Tensor x, int[] sizes, boolean inverse, double scale) {
    Tensor y = gpu.fresh(x.type(), x.shape());
    run(Fft.Kind.COMPLEX, y, x, sizes, inverse);
    return scaled(y, scale);
  }

  /** Transforms as {@link Transforms#toHalfSpectrum} does. */
  Tensor toHalfSpectrum(Tensor x, int[] sizes, double scale, boolean adjointOfInverse) {
    Shape s = x.shape();
    int n = s.dim(-1);
    Tensor y = gpu.fresh(x.type(), s.with(-1, n / 2 + 1).insert(s.rank(), 2));
    run(Fft.Kind.REAL_TO_HALF, y, x, sizes, false);
    Tensor weighted =
        adjointOfInverse
            ? elementwise.binary(BinaryKind.MUL, y, roots.multiplicities(x.type(), n))
            : y;
    return scaled(weighted, scale);
  }

  /** Transforms as {@link Transforms#toReal} does, along the last axis. */
  Tensor toReal(Tensor x, int n, double scale, boolean adjointOfForward) {
    DataType type = x.type();
    // Ignored numbers are left out instead of multiplied by 0, because they may be infinite.
    Tensor half = elementwise.where(roots.realEdges(type, n), x, gpu.constant(type, Shape.of(), 0));
    if (adjointOfForward) {
      half = elementwise.binary(BinaryKind.DIV, half, roots.multiplicities(type, n));
    }
    Tensor y = gpu.fresh(type, x.shape().remove(-1).with(-1, n));
    run(Fft.Kind.HALF_TO_REAL, y, half, new int[] {n}, true);
    return scaled(y, scale);
  }

  private Tensor scaled(Tensor x, double scale) {
    return scale == 1
        ? x
        : elementwise.binary(BinaryKind.MUL, x, gpu.constant(x.type(), Shape.of(), scale));
  }

  private void run(Fft.Kind kind, Tensor y, Tensor x, int[] sizes, boolean inverse) {
    Tensor from = dense(x);
    int points = Arrays.stream(sizes).reduce(1, (a, b) -> a * b);
    int count = (kind == Fft.Kind.HALF_TO_REAL ? y : x).size() / points;
    boolean doubles = x.type() == DataType.F64;
    List<Integer> extents = Arrays.stream(sizes).boxed().toList();
    Key key =
        new Key(kind, doubles, extents, kind == Fft.Kind.COMPLEX ? count / 2 : count); // (re, im)
    long to = CudaStorage.of(y).address();
    gpu.queue(stream -> run(key, address(from), to, inverse, stream), y, from);
  }

  // One at a time, because a plan has one work area and must not be destroyed meanwhile.
  private synchronized void run(Key key, long from, long to, boolean inverse, long stream) {
    Long plan = plans.get(key);
    if (plan == null) {
      makeRoom();
      int[] sizes = key.sizes.stream().mapToInt(Integer::intValue).toArray();
      plan = fft.plan(key.kind, key.doubles, sizes, key.count);
      plans.put(key, plan);
    }
    fft.transform(plan, from, to, inverse, stream);
  }

  private void makeRoom() {
    if (plans.size() >= MOST_PLANS) {
      gpu.synchronize(); // its transforms may still be queued
      Iterator<Long> eldest = plans.values().iterator();
      fft.destroy(eldest.next());
      eldest.remove();
    }
  }

  // Returns the tensor row-major and aligned to complex numbers; the same object if it already is.
  private Tensor dense(Tensor x) {
    Tensor dense = memory.contiguous(x);
    return address(dense) % (2L * x.type().bytes()) == 0
        ? dense
        : memory.copy(dense, Layout.contiguous(x.shape()));
  }

  private static long address(Tensor x) {
    return CudaStorage.of(x).address() + (long) x.layout().offset() * x.type().bytes();
  }

  /** Releases all plans, once no work is queued. */
  synchronized void close() {
    plans.values().forEach(fft::destroy);
    plans.clear();
  }
}
