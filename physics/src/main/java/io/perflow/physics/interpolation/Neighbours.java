package io.perflow.physics.interpolation;

import java.util.Arrays;

/**
 * A search for the readings that are nearest to a place in the plane.
 *
 * <p>The places are sorted into square buckets of about two places each. A search looks at rings of
 * buckets around its own, until no bucket farther out can hold a nearer place. Of equally near
 * places the one with the smaller index counts as nearer.
 */
final class Neighbours {
  // Round-off may put a place on the border of two buckets into either.
  private static final double CAUTION = 1 - 1e-9;

  private final double[] rows;
  private final double[] columns;
  private final double rowSpacing;
  private final double columnSpacing;
  private final int wanted;
  private final double top;
  private final double left;
  private final double side;
  private final int down; // number of buckets
  private final int across;
  private final int[] first; // where each bucket starts in places, and at last where they end
  private final int[] places;

  // the places found so far, nearest first; a search is not reentrant
  private final int[] found;
  private final double[] squares;
  private int count;

  Neighbours(Readings readings, int wanted) {
    rows = readings.rows();
    columns = readings.columns();
    rowSpacing = readings.lattice().rowSpacing();
    columnSpacing = readings.lattice().columnSpacing();
    this.wanted = Math.min(wanted, rows.length);
    found = new int[this.wanted];
    squares = new double[this.wanted];
    top = Arrays.stream(rows).min().orElseThrow();
    left = Arrays.stream(columns).min().orElseThrow();
    double height = (Arrays.stream(rows).max().orElseThrow() - top) * rowSpacing;
    double width = (Arrays.stream(columns).max().orElseThrow() - left) * columnSpacing;
    double even = Math.sqrt(2 * height * width / rows.length);
    double fitting = Math.max(even, 2 * Math.max(height, width) / rows.length);
    side = fitting > 0 ? fitting : 1; // 0 when there is one place only
    down = (int) (height / side) + 1;
    across = (int) (width / side) + 1;
    first = new int[down * across + 1];
    places = new int[rows.length];
    fillBuckets();
  }

  private void fillBuckets() {
    int[] bucket = new int[rows.length];
    for (int i = 0; i < rows.length; i++) {
      bucket[i] = bucketDown(rows[i]) * across + bucketAcross(columns[i]);
      first[bucket[i] + 1]++;
    }
    for (int i = 1; i < first.length; i++) {
      first[i] += first[i - 1];
    }
    int[] next = first.clone();
    for (int i = 0; i < rows.length; i++) {
      places[next[bucket[i]]++] = i;
    }
  }

  private int bucketDown(double row) {
    return (int) Math.floor((row - top) * rowSpacing / side);
  }

  private int bucketAcross(double column) {
    return (int) Math.floor((column - left) * columnSpacing / side);
  }

  /**
   * Returns the nearest places, the nearest one first; the array is overwritten by the next search.
   */
  int[] of(double row, double column) {
    int a = bucketDown(row);
    int b = bucketAcross(column);
    count = 0;
    // The rings between a search from outside and the first bucket are empty.
    int ring = Math.max(0, Math.max(Math.max(-a, a - down + 1), Math.max(-b, b - across + 1)));
    int last = Math.max(Math.max(a, down - 1 - a), Math.max(b, across - 1 - b));
    while (ring <= last
        && (count < wanted || squares[count - 1] >= square((ring - 1) * CAUTION * side))) {
      scanRing(a, b, ring, row, column);
      ring++;
    }
    return found;
  }

  private void scanRing(int a, int b, int ring, double row, double column) {
    for (int i = Math.max(0, a - ring); i <= Math.min(down - 1, a + ring); i++) {
      // The first and the last row of buckets belong to the ring completely, other rows only with
      // their ends.
      int step = Math.abs(i - a) == ring ? 1 : 2 * ring;
      int start = step == 1 ? Math.max(0, b - ring) : b - ring;
      for (int j = start; j <= Math.min(across - 1, b + ring); j += step) {
        if (j >= 0) {
          scanBucket(i * across + j, row, column);
        }
      }
    }
  }

  // Differences of rows and columns are exact, so equal distances are equal in every period.
  private void scanBucket(int bucket, double row, double column) {
    for (int k = first[bucket]; k < first[bucket + 1]; k++) {
      int place = places[k];
      double x = (row - rows[place]) * rowSpacing;
      double y = (column - columns[place]) * columnSpacing;
      offer(place, square(x) + square(y));
    }
  }

  private void offer(int place, double square) {
    if (count == wanted && !nearer(place, square, count - 1)) {
      return;
    }
    int slot = count < wanted ? count++ : count - 1;
    while (slot > 0 && nearer(place, square, slot - 1)) {
      found[slot] = found[slot - 1];
      squares[slot] = squares[slot - 1];
      slot--;
    }
    found[slot] = place;
    squares[slot] = square;
  }

  private boolean nearer(int place, double square, int slot) {
    return square < squares[slot] || square == squares[slot] && place < found[slot];
  }

  private static double square(double a) {
    return a * a;
  }
}
