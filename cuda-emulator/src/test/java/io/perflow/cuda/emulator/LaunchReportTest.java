package io.perflow.cuda.emulator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** The counters of a launch against numbers that follow from the kernels. */
class LaunchReportTest {
  private static Emulation counting(String module) {
    return new Emulation(EmulatedDriver.builder().counting(true), Emulation.ptx(module));
  }

  @Test
  void neighboursShareSectors() {
    int rows = 32;
    int columns = 64;
    try (var e = counting("violating")) {
      long x = e.floats(new float[rows * columns]);
      long y = e.empty(4L * columns);
      var args = e.arguments("column_sum").pointer(x).pointer(y).s32(rows).s32(columns);
      LaunchReport down = e.run("column_sum", 1, columns, args);
      // Two warps load a row of 32 floats each time: 128 bytes are 4 sectors.
      assertEquals(2 * rows, down.memory().loadRequests());
      assertEquals(4L * 2 * rows, down.memory().loadSectors());
      assertEquals(4 * 2, down.memory().storeSectors());
      args = e.arguments("row_sum").pointer(x).pointer(y).s32(rows).s32(columns);
      LaunchReport along = e.run("row_sum", 1, rows, args);
      assertEquals(32L * columns, along.memory().loadSectors(), "each lane in a sector of its own");
      assertEquals(columns, along.memory().loadRequests());
      assertEquals((long) rows * columns, along.count(InstructionClass.FLOAT));
      assertEquals((long) rows * columns, along.count(InstructionClass.GLOBAL_LOAD));
      assertEquals(rows, along.count(InstructionClass.GLOBAL_STORE));
    }
  }

  @Test
  void wordsOfOneBankTakeTurns() {
    try (var e = counting("violating")) {
      long x = e.floats(new float[1024]);
      long y = e.empty(4096);
      int[] one = {1};
      int[] square = {32, 32};
      var a = e.arguments("transpose32").pointer(x).pointer(y);
      LaunchReport conflicts = e.run("transpose32", one, square, 0, a);
      // 32 warps store a row without conflict and load a column, all of it in one bank.
      assertEquals(64, conflicts.memory().sharedRequests());
      assertEquals(64, conflicts.memory().sharedBestPasses());
      assertEquals(32 + 32 * 32, conflicts.memory().sharedPasses());
      assertEquals(1, conflicts.barriers());
      var b = e.arguments("transpose33").pointer(x).pointer(y);
      LaunchReport none = e.run("transpose33", one, square, 0, b);
      assertEquals(64, none.memory().sharedPasses());
    }
  }

  @Test
  void multiplicationsOfMatmulAreCounted() {
    int m = 20;
    int n = 33;
    int k = 17;
    try (var e = counting("computing")) {
      var args =
          e.arguments("matmul")
              .pointer(e.floats(new float[m * k]))
              .pointer(e.floats(new float[k * n]))
              .pointer(e.empty(4L * m * n));
      int[] grid = {3, 2};
      int[] block = {16, 16};
      LaunchReport report = e.run("matmul", grid, block, 0, args.s32(m).s32(n).s32(k));
      // 6 blocks of 256 threads go through 2 tiles of 16.
      assertEquals(6 * 256 * 32, report.count(InstructionClass.FMA));
      assertEquals(6 * 2 * 2, report.barriers());
      assertEquals(6L * 8 * 2 * 2, report.instructions().get(InstructionClass.BARRIER) / 32);
      assertEquals((long) m * n, report.count(InstructionClass.GLOBAL_STORE));
      assertEquals(0, report.count(InstructionClass.LOCAL));
    }
  }
}
