package io.perflow.physics;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The fate of each reading when readings become values at grid points for a network.
 *
 * @param values [channels, height, width], 0 without a reading
 * @param planes [planes, height, width] of 0 and 1
 * @param fates one for each reading
 */
record Shown(float[] values, float[] planes, List<Fate> fates) {

  /** The fate of a reading: whether the network receives it, and if not, why. */
  enum Fate {
    /** The network receives the reading. */
    SHOWN,
    /** The reading is an average over several grid points. */
    AVERAGE,
    /** The nearest grid point has a reading of its own. */
    DISPLACED,
    /** Other channels that share the plane are not read at this place. */
    INCOMPLETE
  }

  static Shown of(Readings readings) {
    Problem problem = readings.problem();
    int cells = problem.grid().cells();
    Fate[] fates = new Fate[readings.size()];
    Map<Integer, List<Integer>> atEntry = new LinkedHashMap<>();
    for (int i = 0; i < fates.length; i++) {
      Readings.Reading reading = readings.all().get(i);
      fates[i] = readings.wide(i) ? Fate.AVERAGE : Fate.SHOWN;
      if (fates[i] == Fate.SHOWN) {
        int entry = reading.channel() * cells + reading.nearest();
        atEntry.computeIfAbsent(entry, _ -> new ArrayList<>()).add(i);
      }
    }
    for (List<Integer> here : atEntry.values()) {
      keepOwn(here, readings, fates);
    }
    float[] planes = planes(problem, atEntry);
    float[] values = new float[problem.channelCount() * cells];
    atEntry.forEach(
        (entry, here) -> {
          if (planes[entry % planes.length] == 1) {
            values[entry] = (float) Agreement.mean(here.stream().map(readings.all()::get).toList());
          } else {
            here.forEach(i -> fates[i] = Fate.INCOMPLETE);
          }
        });
    return new Shown(values, planes, Arrays.asList(fates));
  }

  // A grid point with its own reading shows that value, not one from beside it.
  private static void keepOwn(List<Integer> here, Readings readings, Fate[] fates) {
    if (here.stream().anyMatch(i -> readings.all().get(i).onGrid())) {
      for (int i : here) {
        fates[i] = readings.all().get(i).onGrid() ? Fate.SHOWN : Fate.DISPLACED;
      }
      here.removeIf(i -> fates[i] == Fate.DISPLACED);
    }
  }

  // Channel c has plane c mod planes, so entries that are a multiple of all planes apart share a
  // place.
  private static float[] planes(Problem problem, Map<Integer, List<Integer>> atEntry) {
    int[] read = new int[problem.planes() * problem.grid().cells()];
    atEntry.keySet().forEach(entry -> read[entry % read.length]++);
    float[] planes = new float[read.length];
    for (int i = 0; i < read.length; i++) {
      planes[i] = read[i] == problem.channelCount() / problem.planes() ? 1 : 0;
    }
    return planes;
  }

  int count(Fate fate) {
    return (int) fates.stream().filter(fate::equals).count();
  }
}
