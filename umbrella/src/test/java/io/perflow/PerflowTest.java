package io.perflow;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class PerflowTest {
  @Test
  void versionIsFilledInByTheBuild() {
    assertTrue(Perflow.version().matches("\\d+\\.\\d+\\.\\d+.*"), Perflow.version());
  }
}
