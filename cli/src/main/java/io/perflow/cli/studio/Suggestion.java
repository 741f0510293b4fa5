package io.perflow.cli.studio;

import io.perflow.physics.Grid;
import io.perflow.physics.Problem;
import io.perflow.physics.prior.Kriging;
import io.perflow.physics.prior.Sensing;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Where the next sensor of a kind should be, given the others. */
final class Suggestion {
  private static final int MOST_ROWS = 6000; // readings of all candidates together
  private static final int PER_LINE = 32; // readings of a line that are counted

  private final Problem problem;
  private final Sensor wanted;

  private Suggestion(Problem problem, Sensor wanted) {
    this.problem = problem;
    this.wanted = wanted;
  }

  /**
   * Finds the place.
   *
   * @param there what the sensors that are there read
   * @param wanted a sensor of the kind to place, anywhere
   */
  static Map<String, Object> of(Opened opened, Sensing there, Sensor wanted) {
    Suggestion kind = new Suggestion(opened.problem(), wanted);
    Kriging known = opened.model().requirePrior().prior().given(there);
    List<int[]> places = kind.places();
    List<int[]> candidates = places.stream().map(kind::entries).toList();
    int best = opened.search().best(known, candidates, wanted.noise());
    Map<String, Object> found = new LinkedHashMap<>();
    found.put("row", places.get(best)[0]);
    found.put("column", places.get(best)[1]);
    return found;
  }

  // every n-th grid point or line, so that the answer takes about a second
  private List<int[]> places() {
    Grid grid = problem.grid();
    int[] rows = wanted.along() == Sensor.Along.ROWS ? new int[] {0} : all(grid.height());
    int[] columns = wanted.along() == Sensor.Along.COLUMNS ? new int[] {0} : all(grid.width());
    int each = entries(new int[] {0, 0}).length;
    int stride = 1;
    while ((long) count(rows, stride) * count(columns, stride) * each > MOST_ROWS
        && stride < Math.max(rows.length, columns.length)) {
      stride++;
    }
    List<int[]> places = new ArrayList<>();
    for (int row = offset(rows, stride); row < rows.length; row += stride) {
      for (int column = offset(columns, stride); column < columns.length; column += stride) {
        places.add(new int[] {rows[row], columns[column]});
      }
    }
    return places;
  }

  private static int[] all(int points) {
    return IntStream.range(0, points).toArray();
  }

  private static int count(int[] points, int stride) {
    return (points.length + stride - 1) / stride;
  }

  // as much is left out at the one end as at the other
  private static int offset(int[] points, int stride) {
    return (points.length - 1) % stride / 2;
  }

  private int[] entries(int[] place) {
    Grid grid = problem.grid();
    int width = grid.width();
    int[] cells =
        switch (wanted.along()) {
          case POINT -> new int[] {place[0] * width + place[1]};
          case ROWS -> some(grid.height()).map(row -> row * width + place[1]).toArray();
          case COLUMNS -> some(width).map(column -> place[0] * width + column).toArray();
        };
    return Arrays.stream(wanted.channels())
        .flatMap(channel -> Arrays.stream(cells).map(cell -> channel * grid.cells() + cell))
        .toArray();
  }

  private static IntStream some(int points) {
    int stride = Math.max(1, points / PER_LINE);
    return IntStream.range(0, points).filter(i -> i % stride == 0);
  }
}
