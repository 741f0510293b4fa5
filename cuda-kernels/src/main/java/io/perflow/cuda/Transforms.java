package io.perflow.cuda;

import io.perflow.cuda.driver.Fft;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.FftKernels;
import io.perflow.tensor.op.TrigKind;
import java.util.Arrays;
import java.util.Optional;

/**
 * The Fourier, cosine and sine transforms of any length: {@code fft.cu}. Several axes are
 * transformed in turn; spectra lie row-major, (re, im) innermost. Real, cosine and sine transforms
 * are complex ones whose lines are read and written in another form.
 */
final class Transforms implements FftKernels {
  private static final String FILE = "fft";

  // The number of points that fit into the shared memory of a block with a quarter as many threads.
  private static final int MOST_SHARED_POINTS = 2048;
  private static final int THREADS = 256;

  private final Gpu gpu;
  private final Memory memory;
  private final Elementwise elementwise;
  private final Roots roots;
  private volatile LibraryTransforms library; // null for our own kernels

  Transforms(Gpu gpu, Memory memory, Elementwise elementwise) {
    this.gpu = gpu;
    this.memory = memory;
    this.elementwise = elementwise;
    this.roots = new Roots(gpu);
  }

  /** Uses a library for Fourier transforms from now on. */
  void use(Fft fft) {
    LibraryTransforms chosen = new LibraryTransforms(gpu, fft, memory, elementwise, roots);
    gpu.beforeClose(chosen::close);
    library = chosen;
  }

  // Returns the library, if it is in use and can transform data of these sizes.
  private LibraryTransforms library(Tensor x, int... sizes) {
    LibraryTransforms chosen = library;
    return chosen != null && x.size() > 0 && LibraryTransforms.takes(sizes) ? chosen : null;
  }

  // The extents of the last `axes` axes up to `last`.
  private static int[] sizes(Tensor x, int last, int axes) {
    return Arrays.copyOfRange(x.shape().toArray(), last + 1 - axes, last + 1);
  }

  /** The ways in which a line is read or written: {@code enum Form}. */
  private enum Form {
    COMPLEX,
    REAL,
    HALF,
    COSINE,
    FOLDED,
    ODD
  }

  /**
   * A transform of every line along an axis.
   *
   * @param length the length of the transform, which may differ from the extent of the axis
   * @param edge the factor of entry 0 and, for half spectra, of the middle one
   * @param interior the factor of the others
   * @param scaleOnRead whether the factors belong to what is read
   */
  private record Job(
      Form read,
      Form write,
      int length,
      boolean inverse,
      double edge,
      double interior,
      boolean scaleOnRead) {
    static Job complex(int length, boolean inverse, double scale) {
      return new Job(Form.COMPLEX, Form.COMPLEX, length, inverse, scale, scale, false);
    }
  }

  // ---- the transforms of the backend

  /** Transforms complex numbers over the last axes before (re, im). */
  @Override
  public Tensor fft(Tensor x, int axes, boolean inverse, double scale) {
    return Temporaries.one(
        () -> {
          int last = x.rank() - 2;
          int[] sizes = sizes(x, last, axes);
          LibraryTransforms chosen = library(x, sizes);
          if (chosen != null) {
            return chosen.fft(x, sizes, inverse, scale);
          }
          Tensor y = gpu.fresh(x.type(), x.shape());
          Tensor from = x;
          for (int a = last; a > last - axes; a--) {
            run(y, from, a, Job.complex(x.dim(a), inverse, a == last ? scale : 1));
            from = y;
          }
          return y;
        });
  }

  @Override
  public Tensor rfft(Tensor x, int axes, double scale) {
    return Temporaries.one(() -> toHalfSpectrum(x, axes, scale, false));
  }

  @Override
  public Tensor irfft(Tensor x, int[] sizes, double scale) {
    return Temporaries.one(() -> toReal(x, sizes, scale, false));
  }

  @Override
  public Tensor rfftAdjoint(Tensor x, int[] sizes, double scale) {
    return Temporaries.one(() -> toReal(x, sizes, scale, true));
  }

  @Override
  public Tensor irfftAdjoint(Tensor x, int axes, double scale) {
    return Temporaries.one(() -> toHalfSpectrum(x, axes, scale, true));
  }

  /**
   * Transforms real numbers to a half spectrum, or applies the transpose of the inverse, which
   * doubles the frequencies inside.
   */
  private Tensor toHalfSpectrum(Tensor x, int axes, double scale, boolean adjointOfInverse) {
    Shape s = x.shape();
    int last = s.rank() - 1;
    int[] sizes = sizes(x, last, axes);
    LibraryTransforms chosen = library(x, sizes);
    if (chosen != null) {
      return chosen.toHalfSpectrum(x, sizes, scale, adjointOfInverse);
    }
    int n = s.dim(last);
    Tensor y = gpu.fresh(x.type(), s.with(last, n / 2 + 1).insert(s.rank(), 2));
    double interior = adjointOfInverse ? 2 * scale : scale;
    run(y, x, last, new Job(Form.REAL, Form.HALF, n, false, scale, interior, false));
    for (int a = last - 1; a > last - axes; a--) {
      run(y, y, a, Job.complex(s.dim(a), false, 1));
    }
    return y;
  }

  /**
   * Transforms a half spectrum to real numbers, or applies the transpose of the transform, which
   * halves those inside.
   */
  private Tensor toReal(Tensor x, int[] sizes, double scale, boolean adjointOfForward) {
    int axes = sizes.length;
    int n = sizes[axes - 1];
    int last = x.rank() - 2;
    Tensor from = x;
    if (axes > 1) {
      Tensor between = gpu.fresh(x.type(), x.shape());
      for (int a = last - 1; a > last - axes; a--) {
        run(between, from, a, Job.complex(x.dim(a), true, 1));
        from = between;
      }
    }
    LibraryTransforms chosen = library(x, n);
    if (chosen != null) {
      return chosen.toReal(from, n, scale, adjointOfForward);
    }
    Tensor y = gpu.fresh(x.type(), x.shape().remove(-1).with(last, n));
    double interior = adjointOfForward ? 0.5 * scale : scale;
    run(y, from, last, new Job(Form.HALF, Form.REAL, n, true, scale, interior, true));
    return y;
  }

  /**
   * Returns x + weight (v - F⁻¹ n (n · F v)) in three kernels, with x null for 0; empty when a
   * block's shared memory cannot hold the columns as they are, or a library computes the
   * transforms.
   */
  Optional<Tensor> advanceTransverse(Tensor x, Tensor v, Tensor n, double weight) {
    int h = v.dim(2);
    int w = v.dim(3);
    if (library(v, h, w) != null || Integer.bitCount(h) != 1 || 2 * h > MOST_SHARED_POINTS) {
      return Optional.empty();
    }
    Layout split = v.layout().reshape(Shape.of(v.dim(0), 2, v.dim(1) / 2, h, w));
    if (points(w) > MOST_SHARED_POINTS || split == null || v.size() == 0) {
      return Optional.empty();
    }
    Tensor pairs = v.view(split);
    Tensor modes = gpu.fresh(v.type(), Shape.of(v.dim(0), 2, v.dim(1) / 2, h, w / 2 + 1, 2));
    run(modes, pairs, 4, new Job(Form.REAL, Form.HALF, w, false, 1, 1, false));
    projectColumns(modes, memory.contiguous(n));
    return Optional.of(advanceLines(x, v, modes, weight));
  }

  private void projectColumns(Tensor modes, Tensor n) {
    int h = modes.dim(3);
    int half = modes.dim(4);
    int pairs = modes.dim(0) * modes.dim(2) * half;
    int threads = 2 * Math.max(1, h / 4);
    int perBlock = Math.min(pairs, Math.max(1, THREADS / threads));
    gpu.launch(
        FILE,
        "project_columns" + Gpu.suffix(modes.type()),
        Grid.blocks(Grid.ceil(pairs, perBlock), 1, 1, perBlock * threads)
            .shared(perBlock * 2 * (h + 1) * 2 * modes.type().bytes()),
        a ->
            a.tensor(modes)
                .tensor(n)
                .tensor(roots.unit(modes.type(), h))
                .ints(h, half, modes.dim(2), pairs, perBlock));
  }

  private Tensor advanceLines(Tensor x, Tensor v, Tensor modes, double weight) {
    int w = v.dim(3);
    double scale = 1.0 / (v.dim(2) * w);
    Tensor y = gpu.fresh(v.type(), Walk.resultLayout(v.shape(), x == null ? v : x));
    Tensor z = modes.view(modes.layout().reshape(modes.shape().remove(2).with(1, v.dim(1))));
    Layout from = Movement.without((x == null ? y : x).layout(), 3);
    Walk lines =
        Walk.single(
            Movement.without(y.layout(), 3),
            starts(z, 3, Form.HALF),
            from,
            Movement.without(v.layout(), 3));
    Job job = new Job(Form.HALF, Form.REAL, w, true, scale, scale, true);
    Plan plan = new Plan(y, z, 3, job, lines, points(w), points(w) != w);
    Block block = Block.of(plan);
    gpu.launch(
        FILE,
        "advance_lines" + Gpu.suffix(v.type()),
        block.grid,
        a ->
            a.at(y, lines.offset(0))
                .at(z, lines.offset(1))
                .at(x, x == null ? 0 : lines.offset(2))
                .at(v, lines.offset(3))
                .number(v.type(), weight)
                .ints(y.layout().stride(3), x == null ? 0 : x.layout().stride(3))
                .ints(v.layout().stride(3), block.lines)
                .ints(block.across ? 1 : 0)
                .struct(struct(plan, a))
                .walk(lines));
    return y;
  }

  /** Applies a cosine or sine transform along an axis. */
  @Override
  public Tensor trig(TrigKind kind, Tensor x, int axis, double scale) {
    return Temporaries.one(
        () -> {
          int n = x.dim(axis);
          Job job =
              switch (kind) {
                case DCT2 -> cosine(n, scale, scale);
                case DCT3_ADJOINT -> cosine(n, 0.5 * scale, scale);
                case DCT3 -> folded(n, scale, scale);
                case DCT2_ADJOINT -> folded(n, 2 * scale, scale);
                case DST1 -> new Job(Form.ODD, Form.ODD, 2 * (n + 1), false, scale, scale, false);
              };
          Tensor y = gpu.fresh(x.type(), x.shape());
          run(y, x, axis, job);
          return y;
        });
  }

  private static Job cosine(int n, double edge, double interior) {
    return new Job(Form.COSINE, Form.COSINE, n, false, edge, interior, false);
  }

  private static Job folded(int n, double edge, double interior) {
    return new Job(Form.FOLDED, Form.FOLDED, n, true, edge, interior, true);
  }

  // ---- one axis

  private static boolean complex(Form form) {
    return form == Form.COMPLEX || form == Form.HALF;
  }

  /**
   * Returns where lines begin: a layout without the axis and, for complex numbers, without (re,
   * im).
   */
  private static Layout starts(Tensor x, int axis, Form form) {
    Layout layout = complex(form) ? Movement.without(x.layout(), x.rank() - 1) : x.layout();
    return Movement.without(layout, axis);
  }

  /** Transforms along an axis; y may be x when both are complex. */
  private void run(Tensor y, Tensor x, int axis, Job job) {
    if (y.size() == 0) {
      return;
    }
    Walk lines = Walk.single(starts(y, axis, job.write), starts(x, axis, job.read));
    if (lines == null) {
      run(y, memory.contiguous(x), axis, job);
      return;
    }
    int points = points(job.length);
    Plan plan = new Plan(y, x, axis, job, lines, points, points != job.length);
    if (points <= MOST_SHARED_POINTS) {
      inShared(plan);
    } else {
      inGlobal(plan);
    }
  }

  // The power of two by which a length is transformed, its own or that of Bluestein's convolution.
  private static int points(int length) {
    return Integer.bitCount(length) == 1 ? length : Integer.highestOneBit(2 * length - 2) * 2;
  }

  private record Plan(
      Tensor y, Tensor x, int axis, Job job, Walk lines, int points, boolean bluestein) {
    DataType type() {
      return x.type();
    }
  }

  /** Returns {@code struct Transform}. */
  private Struct struct(Plan p, Arguments a) {
    Job job = p.job;
    DataType type = p.type();
    boolean quarters = job.read == Form.COSINE || job.read == Form.FOLDED;
    int pairX = p.x.rank() - 1;
    int pairY = p.y.rank() - 1;
    return new Struct()
        .address(a.addressOf(roots.unit(type, p.points), 0))
        .address(p.bluestein ? a.addressOf(roots.chirp(type, job.length), 0) : 0)
        .address(p.bluestein ? a.addressOf(roots.response(type, job.length, p.points), 0) : 0)
        .address(quarters ? a.addressOf(roots.quarters(type, job.length), 0) : 0)
        .number(type, job.edge)
        .number(type, job.interior)
        .ints(job.length, p.points, p.x.dim(p.axis))
        .flag(job.inverse)
        .ints(job.read.ordinal(), job.write.ordinal())
        .ints(p.x.layout().stride(p.axis), complex(job.read) ? p.x.layout().stride(pairX) : 0)
        .ints(p.y.layout().stride(p.axis), complex(job.write) ? p.y.layout().stride(pairY) : 0)
        .flag(job.scaleOnRead);
  }

  /** A block of lines in shared memory, and whether its lines are neighbours in memory. */
  private record Block(Grid grid, int lines, boolean across) {
    static Block of(Plan p) {
      int lines = p.lines.groups();
      int quarter = Math.max(1, p.points / 4);
      int perBlock = Math.min(lines, Math.max(1, THREADS / quarter));
      boolean across =
          p.lines.innerExtent() > 1
              && Math.abs(p.lines.innerStride(0)) < Math.abs(p.y.layout().stride(p.axis));
      Grid grid =
          Grid.blocks(Grid.ceil(lines, perBlock), 1, 1, perBlock * quarter)
              .shared(perBlock * (p.points + 1) * 2 * p.type().bytes());
      return new Block(grid, perBlock, across);
    }
  }

  private void inShared(Plan p) {
    Block block = Block.of(p);
    gpu.launch(
        FILE,
        "fft_lines" + Gpu.suffix(p.type()),
        block.grid,
        a ->
            a.at(p.y, p.lines.offset(0))
                .at(p.x, p.lines.offset(1))
                .ints(block.lines)
                .ints(block.across ? 1 : 0)
                .struct(struct(p, a))
                .walk(p.lines));
  }

  // ---- lines longer than shared memory

  private void inGlobal(Plan p) {
    String suffix = Gpu.suffix(p.type());
    int lines = p.lines.groups();
    long elements = (long) lines * p.points;
    Grid grid = Grid.threads(elements);
    long bytes = elements * 2 * p.type().bytes();
    try (Scratch one = gpu.scratch(bytes);
        Scratch two = gpu.scratch(bytes)) {
      gpu.launch(
          FILE,
          "fft_first" + suffix,
          grid,
          a ->
              a.address(one.address())
                  .at(p.x, p.lines.offset(1))
                  .divisor(p.points)
                  .struct(struct(p, a))
                  .walk(p.lines));
      Scratch[] work = {one, two};
      steps(p, work);
      if (p.bluestein) {
        gpu.launch(
            FILE,
            "fft_middle" + suffix,
            grid,
            a -> a.address(work[0].address()).ints(lines).divisor(p.points).struct(struct(p, a)));
        steps(p, work);
      }
      gpu.launch(
          FILE,
          "fft_last" + suffix,
          grid,
          a ->
              a.at(p.y, p.lines.offset(0))
                  .address(work[0].address())
                  .divisor(p.points)
                  .struct(struct(p, a))
                  .walk(p.lines));
    }
  }

  // All steps of a transform, from work[0] to work[0].
  private void steps(Plan p, Scratch[] work) {
    int lines = p.lines.groups();
    for (int done = 1, radix; done < p.points; done *= radix) {
      radix = done == 1 && Integer.numberOfTrailingZeros(p.points) % 2 == 1 ? 2 : 4;
      int before = done;
      int butterflies = p.points / radix;
      gpu.launch(
          FILE,
          "fft_step" + radix + Gpu.suffix(p.type()),
          Grid.threads((long) lines * butterflies),
          a ->
              a.address(work[1].address())
                  .address(work[0].address())
                  .tensor(roots.unit(p.type(), p.points))
                  .ints(lines, p.points, before)
                  .divisor(butterflies));
      Scratch swap = work[0];
      work[0] = work[1];
      work[1] = swap;
    }
  }

  /**
   * Returns the names of the forms in the kernel's order, for the test that holds the two together.
   */
  static String[] forms() {
    return Arrays.stream(Form.values()).map(Enum::name).toArray(String[]::new);
  }
}
