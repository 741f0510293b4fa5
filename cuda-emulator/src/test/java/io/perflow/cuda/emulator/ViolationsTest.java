package io.perflow.cuda.emulator;

import static io.perflow.cuda.emulator.KernelFault.Kind.DIVERGENT;
import static io.perflow.cuda.emulator.KernelFault.Kind.INACTIVE_LANE;
import static io.perflow.cuda.emulator.KernelFault.Kind.MISALIGNED;
import static io.perflow.cuda.emulator.KernelFault.Kind.NOT_CONSTANT;
import static io.perflow.cuda.emulator.KernelFault.Kind.NOT_TF32;
import static io.perflow.cuda.emulator.KernelFault.Kind.OUT_OF_BOUNDS;
import static io.perflow.cuda.emulator.KernelFault.Kind.RACE;
import static io.perflow.cuda.emulator.KernelFault.Kind.TIMEOUT;
import static io.perflow.cuda.emulator.KernelFault.Kind.TRAP;
import static io.perflow.cuda.emulator.KernelFault.Kind.UNINITIALISED;
import static io.perflow.cuda.emulator.KernelFault.Kind.USE_AFTER_FREE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.cuda.driver.CudaException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Each checker is shown a kernel that breaks its rule, and finds it whatever the schedule. */
class ViolationsTest {
  private static String faultOf(KernelFault.Kind kind, Executable launch) {
    var e = assertThrows(CudaException.class, launch);
    var fault = assertInstanceOf(KernelFault.class, e.getCause(), e.getMessage());
    assertEquals(kind, fault.kind(), fault.getMessage());
    return fault.getMessage();
  }

  @ParameterizedTest
  @EnumSource(Schedule.class)
  void accessesThatNothingOrdersAreRaces(Schedule schedule) {
    for (String kernel : new String[] {"shared_race", "same_value"}) {
      try (var e = Emulation.of("violating", schedule)) {
        var args = e.arguments(kernel).pointer(e.floats(new float[65]));
        String message = faultOf(RACE, () -> e.run(kernel, 1, 64, args));
        assertTrue(message.contains("kernel " + kernel), message);
      }
    }
    for (String kernel : new String[] {"warp_race", "global_race", "block_race"}) {
      try (var e = Emulation.of("violating", schedule)) {
        var args = e.arguments(kernel).pointer(e.floats(new float[64])).pointer(e.empty(256));
        faultOf(RACE, () -> e.run(kernel, kernel.equals("block_race") ? 2 : 1, 32, args));
      }
    }
  }

  @Test
  void aConflictNamesBothSides() {
    try (var e = Emulation.of("violating")) {
      var args = e.arguments("block_race").pointer(e.empty(256)).pointer(e.empty(256));
      String message = faultOf(RACE, () -> e.run("block_race", 2, 32, args));
      assertTrue(message.contains("block (1, 0, 0)"), message);
      assertTrue(message.contains("of block 0"), message);
    }
  }

  @Test
  void atomicAndPlainAccessesDoNotMixBetweenBlocks() {
    try (var e = Emulation.of("violating")) {
      var args = e.arguments("half_atomic").pointer(e.ints(0));
      faultOf(RACE, () -> e.run("half_atomic", 3, 32, args));
    }
  }

  @Test
  void racesAreNotLookedForWhenSwitchedOff() {
    var unchecked = EmulatedDriver.builder().races(false);
    try (var e = new Emulation(unchecked, Emulation.ptx("violating"))) {
      long y = e.empty(256);
      e.run("shared_race", 1, 64, e.arguments("shared_race").pointer(y));
      float[] expected = new float[64];
      for (int i = 0; i < 64; i++) {
        expected[i] = i ^ 32;
      }
      assertArrayEquals(expected, e.floats(y, 64), "lock-step gets away with it");
    }
  }

  @ParameterizedTest
  @CsvSource({"0, false", "1, true", "-1, true", "1000, true", "-1000000, true"})
  void accessesBesideAnAllocationAreFound(int shift, boolean bad) {
    try (var e = Emulation.of("violating")) {
      e.empty(256);
      var args = e.arguments("beside").pointer(e.empty(4 * 32)).s32(shift);
      if (bad) {
        String message = faultOf(OUT_OF_BOUNDS, () -> e.run("beside", 1, 32, args));
        assertTrue(message.contains("line ") && message.contains("thread ("), message);
      } else {
        e.run("beside", 1, 32, args);
      }
    }
  }

  @Test
  void memoryIsNotUsedAfterItsEnd() {
    try (var e = Emulation.of("violating")) {
      long x = e.empty(128);
      e.driver.memFree(x);
      var args = e.arguments("beside").pointer(x).s32(0);
      String message = faultOf(USE_AFTER_FREE, () -> e.run("beside", 1, 32, args));
      assertTrue(message.contains("freed by") && message.contains("ViolationsTest"), message);
    }
  }

  @Test
  void pairsMustBeAlignedToPairs() {
    try (var e = Emulation.of("violating")) {
      var args = e.arguments("misaligned").pointer(e.floats(new float[65])).pointer(e.empty(256));
      faultOf(MISALIGNED, () -> e.run("misaligned", 1, 32, args));
    }
  }

  @Test
  void sharedMemoryIsWrittenBeforeItIsRead() {
    try (var e = Emulation.of("violating")) {
      var args = e.arguments("uninitialised").pointer(e.empty(256));
      String message = faultOf(UNINITIALISED, () -> e.run("uninitialised", 1, 64, args));
      assertTrue(message.contains("thread (5, 0, 0)"), message);
    }
  }

  @ParameterizedTest
  @EnumSource(Schedule.class)
  void threadsOfABlockMeetAtOneBarrier(Schedule schedule) {
    try (var e = Emulation.of("violating", schedule)) {
      var args = e.arguments("two_barriers").pointer(e.empty(256));
      faultOf(DIVERGENT, () -> e.run("two_barriers", 1, 64, args));
    }
  }

  @Test
  void lanesThatAShuffleNamesTakePart() {
    try (var e = Emulation.of("violating")) {
      var args = e.arguments("half_shuffle").pointer(e.empty(128));
      faultOf(DIVERGENT, () -> e.run("half_shuffle", 1, 32, args));
    }
    try (var e = Emulation.of("violating")) {
      var args = e.arguments("absent_lane").pointer(e.empty(128));
      faultOf(INACTIVE_LANE, () -> e.run("absent_lane", 1, 32, args));
    }
  }

  @Test
  void whatIsReadAsConstantIsNotWritten() {
    try (var e = Emulation.of("violating")) {
      var args = e.arguments("not_constant").pointer(e.empty(128)).pointer(e.empty(128));
      faultOf(NOT_CONSTANT, () -> e.run("not_constant", 1, 32, args));
    }
  }

  @Test
  void anEndlessLoopIsStopped() {
    var short1 = EmulatedDriver.builder().maxInstructions(100_000);
    try (var e = new Emulation(short1, Emulation.ptx("violating"))) {
      var args = e.arguments("endless").pointer(e.ints(0));
      faultOf(TIMEOUT, () -> e.run("endless", 1, 1, args));
    }
  }

  @Test
  void aKernelMayGiveUp() {
    try (var e = Emulation.of("violating")) {
      e.run("gives_up", 1, 32, e.arguments("gives_up").pointer(e.ints(6)));
      faultOf(TRAP, () -> e.run("gives_up", 1, 32, e.arguments("gives_up").pointer(e.ints(7))));
    }
  }

  @Test
  void aPointerCutTo32BitsPointsNowhere() {
    try (var e = Emulation.of("violating")) {
      var args = e.arguments("cut_pointer").pointer(e.empty(128));
      faultOf(OUT_OF_BOUNDS, () -> e.run("cut_pointer", 1, 1, args));
    }
  }

  @Test
  void dynamicSharedMemoryIsAsLargeAsTheLaunchSays() {
    try (var e = Emulation.of("violating")) {
      var args = e.arguments("beyond_shared").pointer(e.empty(128));
      int[] one = {1};
      int[] warp = {32};
      e.run("beyond_shared", one, warp, 4 * 33, args);
      faultOf(OUT_OF_BOUNDS, () -> e.run("beyond_shared", one, warp, 4 * 32, args));
    }
  }

  @Test
  void factorsOfTensorCoresAreRounded() {
    try (var e = Emulation.of("tensor")) {
      float[] rounded = new float[128];
      float[] c = new float[256];
      for (int i = 0; i < 128; i++) {
        rounded[i] = i % 16 - 8;
      }
      for (int i = 0; i < 256; i++) {
        c[i] = i;
      }
      long sum = e.floats(c);
      long good = e.floats(rounded);
      var args = e.arguments("unrounded").pointer(good).pointer(good).pointer(sum);
      e.run("unrounded", 1, 32, args);
      float[] actual = e.floats(sum, 256);
      for (int i = 0; i < 16; i++) {
        for (int j = 0; j < 16; j++) {
          float expected = c[j * 16 + i];
          for (int k = 0; k < 8; k++) {
            expected += rounded[i * 8 + k] * rounded[j * 8 + k];
          }
          assertEquals(expected, actual[j * 16 + i]);
        }
      }
      rounded[77] = 0.1f;
      var bad = e.arguments("unrounded").pointer(e.floats(rounded)).pointer(good).pointer(sum);
      faultOf(NOT_TF32, () -> e.run("unrounded", 1, 32, bad));
    }
  }

  @Test
  void untouchedMemoryIsNaN() {
    try (var e = Emulation.of("violating")) {
      for (float v : e.floats(e.empty(4 * 7), 7)) {
        assertTrue(Float.isNaN(v));
      }
      for (double v : e.doubles(e.empty(8 * 7), 7)) {
        assertTrue(Double.isNaN(v));
      }
    }
  }
}
