package io.perflow.flow;

import io.perflow.tensor.Rng;

/** Symmetries of a benchmark's equation and data, by which training makes more fields of few. */
public enum Augmentation {
  /** None. */
  NONE {
    @Override
    Move draw(Rng rng, int height, int width) {
      return new Move(0, 0, false, false, false, 1);
    }
  },
  /** Any shift along the periodic width, and u(x) to -u(-x): Burgers' equation. */
  ODD_LINE {
    @Override
    Move draw(Rng rng, int height, int width) {
      boolean mirror = rng.nextInt(2) == 1;
      return new Move(0, rng.nextInt(width), false, mirror, false, mirror ? -1 : 1);
    }
  },
  /** The eight symmetries of the square: Poisson's and Darcy's equations. */
  SQUARE {
    @Override
    Move draw(Rng rng, int height, int width) {
      boolean up = rng.nextInt(2) == 1;
      boolean left = rng.nextInt(2) == 1;
      return new Move(0, 0, up, left, height == width && rng.nextInt(2) == 1, 1);
    }
  },
  /** Shifts of the torus that keep x + y, as the forcing of the Navier-Stokes data does. */
  DIAGONAL {
    @Override
    Move draw(Rng rng, int height, int width) {
      int shift = rng.nextInt(Math.min(height, width));
      return new Move(
          shift * (height / Math.min(height, width)),
          width - shift * (width / Math.min(height, width)),
          false,
          false,
          false,
          1);
    }
  };

  abstract Move draw(Rng rng, int height, int width);

  /** One symmetry: reflections, then transposition, then shifts, then a sign. */
  record Move(int down, int right, boolean up, boolean left, boolean transpose, int sign) {

    /** Writes the moved plane. */
    void apply(float[] source, int from, float[] target, int to, int height, int width) {
      for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
          int row = transpose ? x : y;
          int column = transpose ? y : x;
          row = up ? height - 1 - row : row;
          // a mirrored periodic line keeps its origin, 0 to 0; the later shift makes all alike
          column = left ? width - 1 - column : column;
          int targetIndex = (y + down) % height * width + (x + right) % width;
          target[to + targetIndex] = sign * source[from + row * width + column];
        }
      }
    }
  }
}
