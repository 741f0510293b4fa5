package io.perflow.cuda.emulator;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The work of one launch. Instructions are counted for each thread that executed them. Numbers on
 * memory and warps are zero unless the device counts ({@link EmulatedDriver.Builder#counting}).
 *
 * @param kernel the kernel's name
 * @param grid the number of blocks in x, y and z
 * @param block the threads of a block in x, y and z
 * @param instructions the thread instructions by class
 * @param warpInstructions the number of instructions issued, one for each warp that takes part
 * @param barriers the number of barriers that blocks passed, over all blocks
 * @param memory the memory requests and their cost
 */
public record LaunchReport(
    String kernel,
    List<Integer> grid,
    List<Integer> block,
    Map<InstructionClass, Long> instructions,
    long warpInstructions,
    long barriers,
    Memory memory) {
  public LaunchReport {
    grid = List.copyOf(grid);
    block = List.copyOf(block);
    instructions = new EnumMap<>(instructions);
  }

  /**
   * The memory traffic. A request is what one warp asks for with one instruction. Global memory is
   * fetched in sectors of 32 bytes: 4 for each request are the least when 32 threads want 4 bytes
   * each. Shared memory answers in passes; more than {@code sharedBestPasses} are bank conflicts.
   *
   * @param loadRequests requests to load from global memory
   * @param loadSectors sectors they touch
   * @param storeRequests requests to store to global memory
   * @param storeSectors sectors they touch
   * @param atomicRequests atomic requests to global memory
   * @param sharedRequests requests to shared memory
   * @param sharedPasses passes they take
   * @param sharedBestPasses passes they would take without bank conflicts
   */
  public record Memory(
      long loadRequests,
      long loadSectors,
      long storeRequests,
      long storeSectors,
      long atomicRequests,
      long sharedRequests,
      long sharedPasses,
      long sharedBestPasses) {}

  /** Returns the number of instructions of one class. */
  public long count(InstructionClass what) {
    return instructions.getOrDefault(what, 0L);
  }

  /** Returns the number of instructions of all classes. */
  public long threadInstructions() {
    return instructions.values().stream().mapToLong(Long::longValue).sum();
  }

  @Override
  public Map<InstructionClass, Long> instructions() {
    return new EnumMap<>(instructions);
  }

  @Override
  public String toString() {
    return "%s %s x %s: %d thread instructions %s, %d barriers, %s"
        .formatted(kernel, grid, block, threadInstructions(), instructions, barriers, memory);
  }
}
