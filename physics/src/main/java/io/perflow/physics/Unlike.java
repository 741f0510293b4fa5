package io.perflow.physics;

import io.perflow.tensor.Check;
import io.perflow.tensor.Rng;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A comparison of readings with those of a model's training. */
final class Unlike {
  private static final double FAR = 6; // scales from the mean: never seen in a data set
  private static final double USUAL = 4; // scales from the mean: rarely exceeded

  private final Readings readings;
  private final Problem problem;
  private final Sensors law;
  private final Shown shown;
  private final List<String> lines = new ArrayList<>();

  private Unlike(Readings readings) {
    this.readings = readings;
    problem = readings.problem();
    law = problem.sensors();
    shown = Shown.of(readings);
  }

  static List<String> of(Readings readings, Normalization units) {
    Check.that(
        units.channels() == readings.problem().channelCount(),
        "readings",
        "units for %d channels, the problem has %d",
        units.channels(),
        readings.problem().channelCount());
    Unlike unlike = new Unlike(readings);
    switch (unlike.law.pattern()) {
      case POINTS -> unlike.points();
      case LINES -> unlike.lines();
      case FIXED -> unlike.places();
    }
    unlike.values(units);
    unlike.lines.addAll(Agreement.of(readings).conflicts());
    unlike.hidden();
    return List.copyOf(unlike.lines);
  }

  // ---- numbers and places of sensors, as the network sees them

  private void points() {
    int[] counts = new int[problem.planes()];
    for (int plane = 0; plane < counts.length; plane++) {
      counts[plane] = places(plane).length;
    }
    numbers(counts);
  }

  private void lines() {
    Grid grid = problem.grid();
    boolean columns = grid.dimension(law.axis()) == 3;
    int length = grid.cells() / grid.axis(law.axis()).points();
    int[] counts = new int[problem.planes()];
    for (int plane = 0; plane < counts.length; plane++) {
      int[] onLine = new int[grid.axis(law.axis()).points()];
      for (int cell : places(plane)) {
        onLine[columns ? cell % grid.width() : cell / grid.width()]++;
      }
      counts[plane] = (int) IntStream.of(onLine).filter(n -> n == length).count();
      int all = IntStream.of(onLine).sum();
      int strays = all - counts[plane] * length;
      if (strays > 0) {
        sensors(List.of(plane), "%d of %d are not on a whole line".formatted(strays, all));
        counts[plane] = law.fewest(); // one line about a plane is enough
      }
    }
    numbers(counts);
  }

  // Planes with too few or too many sensors, grouped by their number.
  private void numbers(int[] counts) {
    Map<Integer, List<Integer>> planes = new TreeMap<>();
    for (int plane = 0; plane < counts.length; plane++) {
      if (counts[plane] < law.fewest() || counts[plane] > law.most()) {
        planes.computeIfAbsent(counts[plane], _ -> new ArrayList<>()).add(plane);
      }
    }
    planes.forEach((count, which) -> sensors(which, Integer.toString(count)));
  }

  private void places() {
    int cells = problem.grid().cells();
    float[] usual = problem.masks().draw(Rng.of(0), 1).toFloats(); // fixed: any draw gives these
    for (int plane = 0; plane < problem.planes(); plane++) {
      int start = plane * cells;
      int others = 0;
      int missing = 0;
      for (int i = start; i < start + cells; i++) {
        others += shown.planes()[i] > usual[i] ? 1 : 0;
        missing += shown.planes()[i] < usual[i] ? 1 : 0;
      }
      if (others + missing > 0) {
        sensors(
            List.of(plane),
            "%d at other places, none at %d of the fixed places".formatted(others, missing));
      }
    }
  }

  private int[] places(int plane) {
    int cells = problem.grid().cells();
    return IntStream.range(0, cells).filter(c -> shown.planes()[plane * cells + c] == 1).toArray();
  }

  private void sensors(List<Integer> planes, String what) {
    int[] channels =
        IntStream.range(0, problem.channelCount())
            .filter(c -> planes.contains(problem.plane(c)))
            .toArray();
    lines.add(
        "sensors for %s: %s; the model was trained with %s"
            .formatted(problem.names(channels), what, law));
  }

  // ---- values

  private void values(Normalization units) {
    for (Quantity quantity : problem.quantities()) {
      double farthest = FAR;
      Readings.Reading worst = null;
      int count = 0;
      for (Readings.Reading reading : readings.all()) {
        double distance = distance(reading, units);
        if (distance > FAR && readings.quantity(reading).equals(quantity)) {
          count++;
          worst = distance > farthest ? reading : worst;
          farthest = Math.max(distance, farthest);
        }
      }
      if (worst != null) {
        lines.add(
            far(quantity, worst, units)
                + (count > 1 ? " (readings so far off: " + count + ")" : ""));
      }
    }
  }

  private static double distance(Readings.Reading reading, Normalization units) {
    double mean = units.mean().get(reading.channel());
    return Math.abs(reading.value() - mean) / units.scale().get(reading.channel());
  }

  private static String far(Quantity quantity, Readings.Reading reading, Normalization units) {
    double mean = units.mean().get(reading.channel());
    double usual = USUAL * units.scale().get(reading.channel());
    String unit = quantity.unit().isEmpty() ? "" : " " + quantity.unit();
    return "%s = %s%s (%s) is far from the training data, usually %.4g to %.4g%s"
        .formatted(
            quantity.name(),
            reading.value(),
            unit,
            reading.source(),
            mean - usual,
            mean + usual,
            unit);
  }

  // ---- what the network does not see

  private void hidden() {
    hidden(Shown.Fate.AVERAGE, "they average over several grid points");
    hidden(Shown.Fate.DISPLACED, "the grid point next to them has a reading of its own");
    boolean allFrames = law.sharing() == Sensors.Sharing.SHARED && problem.frameCount() > 1;
    hidden(
        Shown.Fate.INCOMPLETE,
        "the sensors it knows read %s%s together at one place"
            .formatted(
                problem.quantities().stream().map(Quantity::name).collect(Collectors.joining(", ")),
                allFrames ? " of all frames" : ""));
  }

  private void hidden(Shown.Fate fate, String reason) {
    int count = shown.count(fate);
    if (count > 0) {
      lines.add("readings not shown to the network, since %s: %d".formatted(reason, count));
    }
  }
}
