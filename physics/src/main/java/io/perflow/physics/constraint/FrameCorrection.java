package io.perflow.physics.constraint;

import io.perflow.tensor.Scope;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.nio.DoubleBuffer;
import java.nio.IntBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The correction for pinned velocities of an incompressible flow, such as sensors. K has one block
 * for every frame of every sample. Its entries are those of the base's projection between two
 * pinned places and depend on their distance alone, so two projections of unit impulses give them
 * all.
 */
final class FrameCorrection implements Correction {
  // Frames with the same pins, as in an ensemble, share a factor. Beyond this many doubles in all
  // factors, a gigabyte, iterations are faster.
  private static final long MOST_NUMBERS = 1L << 27;

  // Products share nothing and are padded: beyond this many doubles the host solves after all.
  private static final long MOST_IN_PRODUCTS = 1L << 25;

  private final OrthogonalProjector base;
  private final int height;
  private final int width;
  private final int frames;
  private final int[][][] places; // [sample or 1][frame], in a frame's (component, row, column)
  private final DenseSolver[][] solvers;
  private BlockProducts products; // null until needed for a device for which the host must not wait

  private FrameCorrection(OrthogonalProjector base, Pins pins, Shape field) {
    this.base = base;
    this.height = field.dim(2);
    this.width = field.dim(3);
    this.frames = field.dim(1) / 2;
    Tensor mask = pins.mask().exact();
    this.places = places(mask.expand(field.with(0, mask.dim(0))).toDoubles(), mask.dim(0));
    this.solvers = new DenseSolver[places.length][frames];
  }

  /**
   * Returns the correction for these pins, or null when there are too many of them.
   *
   * @param base a projector that treats frames separately and all places of a frame in the same way
   * @param mostRows the largest size of a block
   */
  static FrameCorrection of(OrthogonalProjector base, Pins pins, Shape field, int mostRows) {
    FrameCorrection correction = new FrameCorrection(base, pins, field);
    return correction.fits(mostRows) && correction.factor() ? correction : null;
  }

  private int[][][] places(double[] mask, int samples) {
    int grid = height * width;
    int[][][] found = new int[samples][frames][];
    for (int s = 0; s < samples; s++) {
      for (int f = 0; f < frames; f++) {
        int[] at = new int[2 * grid];
        int count = 0;
        for (int i = 0; i < 2 * grid; i++) {
          int channel = i / grid * frames + f;
          if (mask[(s * 2 * frames + channel) * grid + i % grid] != 0) {
            at[count++] = i;
          }
        }
        found[s][f] = Arrays.copyOf(at, count);
      }
    }
    return found;
  }

  private boolean fits(int mostRows) {
    return Arrays.stream(places).flatMap(Arrays::stream).allMatch(at -> at.length <= mostRows);
  }

  // Returns false when the factors would take too much memory.
  private boolean factor() {
    double[][] kernels = kernels();
    Map<Object, DenseSolver> known = new HashMap<>();
    long numbers = 0;
    for (int s = 0; s < places.length; s++) {
      for (int f = 0; f < frames; f++) {
        int[] at = places[s][f];
        Object key = List.of(DoubleBuffer.wrap(kernels[f]), IntBuffer.wrap(at));
        DenseSolver solver = known.get(key);
        if (solver == null && at.length > 0) {
          numbers += (long) at.length * at.length;
          if (numbers > MOST_NUMBERS) {
            return false;
          }
          solver = DenseSolver.of(matrix(at, kernels[f]), at.length);
          known.put(key, solver);
        }
        solvers[s][f] = solver;
      }
    }
    return true;
  }

  // The projections of an impulse in u and of one in v at the origin, for each frame, as
  // [source component, component, height, width].
  private double[][] kernels() {
    int grid = height * width;
    double[] impulses = new double[2 * 2 * frames * grid];
    for (int c = 0; c < 2 * frames; c++) {
      int source = c / frames;
      impulses[(source * 2 * frames + c) * grid] = 1;
    }
    double[] response;
    try (Scope _ = Scope.open()) {
      response = base.linear(Tensor.of(impulses, 2, 2 * frames, height, width)).toDoubles();
    }
    double[][] kernels = new double[frames][4 * grid];
    for (int f = 0; f < frames; f++) {
      for (int pair = 0; pair < 4; pair++) {
        int from = (pair / 2 * 2 * frames + pair % 2 * frames + f) * grid;
        System.arraycopy(response, from, kernels[f], pair * grid, grid);
      }
    }
    return kernels;
  }

  private double[] matrix(int[] at, double[] kernel) {
    int grid = height * width;
    double[] matrix = new double[at.length * at.length];
    for (int i = 0; i < at.length; i++) {
      for (int j = 0; j < at.length; j++) {
        int pair = at[j] / grid * 2 + at[i] / grid;
        int rows = Math.floorMod(at[i] % grid / width - at[j] % grid / width, height);
        int columns = Math.floorMod(at[i] % width - at[j] % width, width);
        matrix[i * at.length + j] = kernel[pair * grid + rows * width + columns];
      }
    }
    return matrix;
  }

  // Returns the place of an entry of a frame's (component, row, column) among the rows of all
  // samples.
  private int flat(int sample, int frame, int place) {
    int grid = height * width;
    return (sample * 2 * frames + place / grid * frames + frame) * grid + place % grid;
  }

  @Override
  public boolean withoutReading(Tensor r) {
    return r.device().backend().asynchronous()
        && BlockProducts.numbers(blocks()) <= MOST_IN_PRODUCTS;
  }

  private int[][] blocks() {
    int[][] blocks = new int[places.length * frames][];
    for (int b = 0; b < blocks.length; b++) {
      int sample = b / frames;
      int frame = b % frames;
      blocks[b] = Arrays.stream(places[sample][frame]).map(at -> flat(sample, frame, at)).toArray();
    }
    return blocks;
  }

  private synchronized BlockProducts products() {
    if (products == null) {
      DenseSolver[] all =
          Arrays.stream(solvers).flatMap(Arrays::stream).toArray(DenseSolver[]::new);
      products = new BlockProducts(places.length, blocks(), all);
    }
    return products;
  }

  @Override
  public Tensor of(Tensor r, double tolerance) {
    int batch = r.dim(0);
    Shape field = Shape.of(batch, 2 * frames, height, width);
    if (withoutReading(r)) {
      return base.linear(products().of(r).reshape(field));
    }
    double[] misfit = r.toDoubles();
    double[] multipliers = new double[misfit.length];
    for (int s = 0; s < batch; s++) {
      for (int f = 0; f < frames; f++) {
        int[] at = places[places.length == 1 ? 0 : s][f];
        int[] flat = new int[at.length];
        double[] right = new double[at.length];
        for (int i = 0; i < at.length; i++) {
          flat[i] = flat(s, f, at[i]);
          right[i] = misfit[flat[i]];
        }
        if (at.length > 0) {
          double[] solution = solvers[places.length == 1 ? 0 : s][f].solve(right);
          for (int i = 0; i < at.length; i++) {
            multipliers[flat[i]] = solution[i];
          }
        }
      }
    }
    return base.linear(r.device().backend().memory().upload(multipliers, field));
  }
}
