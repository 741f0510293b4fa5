package io.perflow.interop;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The contents of one file: arrays in the order of the file, and skipped ones. */
final class Contents {
  private final Path file;
  private final Map<String, ArrayInfo> arrays = new LinkedHashMap<>();
  private final List<SkippedArray> skipped = new ArrayList<>();

  Contents(Path file) {
    this.file = file;
  }

  /** Lists an array; one without numbers is skipped. */
  void add(ArrayInfo array) {
    if (array.shape().contains(0)) {
      skip(array.name(), "shape " + array.shape() + " holds no numbers");
    } else {
      arrays.put(array.name(), array);
    }
  }

  void skip(String name, String reason) {
    skipped.add(new SkippedArray(file, name, reason));
  }

  Map<String, ArrayInfo> arrays() {
    return arrays;
  }

  List<SkippedArray> skipped() {
    return skipped;
  }
}
