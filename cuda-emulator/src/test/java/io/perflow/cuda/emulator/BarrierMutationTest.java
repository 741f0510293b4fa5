package io.perflow.cuda.emulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.cuda.driver.CudaException;
import io.perflow.cuda.driver.KernelArguments;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Deletes each barrier of a kernel in turn, and expects the race detector to notice, with the
 * lock-step schedule, which by its results alone would notice none.
 */
class BarrierMutationTest {
  private static final Pattern BARRIER = Pattern.compile("bar\\.(warp\\.)?sync\\s[^;]*;");

  /** The module with the n-th barrier of a kernel deleted, or null when it has fewer. */
  private static String without(String ptx, String kernel, int n) {
    int from = ptx.indexOf(".entry " + kernel + "(");
    int to = ptx.indexOf("\n}", from);
    var barriers = BARRIER.matcher(ptx).region(from, to);
    for (int i = 0; barriers.find(); i++) {
      if (i == n) {
        return ptx.substring(0, barriers.start()) + ptx.substring(barriers.end());
      }
    }
    return null;
  }

  /** For each barrier whether its loss is noticed. */
  private static List<Boolean> noticed(
      String file,
      String kernel,
      int[] grid,
      int[] block,
      Function<Emulation, KernelArguments> args) {
    var found = new ArrayList<Boolean>();
    String ptx = Emulation.ptx(file);
    for (int n = 0; without(ptx, kernel, n) != null; n++) {
      try (var e = new Emulation(EmulatedDriver.builder(), without(ptx, kernel, n))) {
        e.run(kernel, grid, block, 0, args.apply(e));
        found.add(false);
      } catch (CudaException fault) {
        assertEquals(KernelFault.Kind.RACE, ((KernelFault) fault.getCause()).kind());
        found.add(true);
      }
    }
    return found;
  }

  @Test
  void bothBarriersOfMatmulAreNeeded() {
    List<Boolean> noticed =
        noticed(
            "computing",
            "matmul",
            new int[] {2, 2},
            new int[] {16, 16},
            e ->
                e.arguments("matmul")
                    .pointer(e.floats(new float[32 * 32]))
                    .pointer(e.floats(new float[32 * 32]))
                    .pointer(e.empty(4 * 32 * 32))
                    .s32(32)
                    .s32(32)
                    .s32(32));
    assertEquals(List.of(true, true), noticed);
  }

  /** The last barrier only protects the scratch memory for a third sum, which does not come. */
  @Test
  void allBarriersOfGroupNormButTheLastAreNeeded() {
    List<Boolean> noticed =
        noticed(
            "computing",
            "group_norm",
            new int[] {2},
            new int[] {128},
            e ->
                e.arguments("group_norm")
                    .pointer(e.floats(new float[512]))
                    .pointer(e.empty(4 * 512))
                    .s32(256)
                    .f32(1e-5f));
    assertEquals(List.of(true, true, true, true, true, false), noticed);
  }

  @Test
  void barriersOfWarpsAreNeeded() {
    List<Boolean> noticed =
        noticed(
            "computing",
            "warp_reverse",
            new int[] {1},
            new int[] {128},
            e ->
                e.arguments("warp_reverse")
                    .pointer(e.floats(new float[128]))
                    .pointer(e.empty(512)));
    assertEquals(List.of(true, true), noticed);
  }

  @Test
  void bothBarriersOfTheAsynchronousProductAreNeeded() {
    // One warp: that its barriers of the block matter at all shows that copies are ordered too.
    List<Boolean> noticed =
        noticed(
            "tensor",
            "tf32_matmul",
            new int[] {1, 1},
            new int[] {32},
            e ->
                e.arguments("tf32_matmul")
                    .pointer(e.floats(new float[16 * 64]))
                    .pointer(e.floats(new float[64 * 16]))
                    .pointer(e.empty(4 * 256))
                    .s32(16)
                    .s32(64));
    assertTrue(noticed.stream().allMatch(b -> b), noticed.toString());
  }
}
