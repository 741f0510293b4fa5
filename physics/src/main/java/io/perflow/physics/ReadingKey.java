package io.perflow.physics;

import java.util.Arrays;
import java.util.List;

/** What a reading reads, apart from its value: weights to within the precision of a place. */
record ReadingKey(int channel, List<Integer> cells, List<Long> weights) {
  static ReadingKey of(Readings.Reading reading) {
    return new ReadingKey(
        reading.channel(),
        Arrays.stream(reading.cells()).boxed().toList(),
        Arrays.stream(reading.weights()).mapToObj(w -> Math.round(1e6 * w)).toList());
  }
}
