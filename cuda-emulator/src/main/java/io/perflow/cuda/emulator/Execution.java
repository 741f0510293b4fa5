package io.perflow.cuda.emulator;

import io.perflow.cuda.emulator.ptx.Instruction;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;

/** The execution of a launch, which runs its blocks in turn and counts their work. */
final class Execution {
  private final Frame frame;
  private final Launch launch;
  private final Budget budget;
  private final Counters counters;
  private final List<Scheduler> schedulers = new ArrayList<>();
  private long barriers;

  Execution(Frame frame, Launch launch, Schedule schedule, boolean counting, long limit) {
    this.frame = frame;
    this.launch = launch;
    this.budget = new Budget(frame, limit, counting);
    this.counters = counting ? new Counters() : null;
    if (schedule == Schedule.LOCK_STEP) {
      schedulers.add(new Scheduler(frame, budget, 0, frame.threads));
    } else {
      for (int first = 0; first < frame.threads; first += Clock.WARP) {
        int end = Math.min(frame.threads, first + Clock.WARP);
        int place = schedule == Schedule.WARPS_ASCENDING ? schedulers.size() : 0;
        schedulers.add(place, new Scheduler(frame, budget, first, end));
      }
    }
  }

  /** Runs all blocks; their numbers begin at {@code firstSerial}. */
  LaunchReport run(int firstSerial) {
    frame.begin(launch, counters, firstSerial);
    int serial = firstSerial;
    for (int z = 0; z < launch.gridZ(); z++) {
      for (int y = 0; y < launch.gridY(); y++) {
        for (int x = 0; x < launch.gridX(); x++) {
          frame.beginBlock(x, y, z, serial++);
          block();
        }
      }
    }
    return report();
  }

  private void block() {
    schedulers.forEach(Scheduler::start);
    while (true) {
      Scheduler first = null;
      for (Scheduler s : schedulers) {
        s.run();
        if (s.waits()) {
          if (first != null) {
            first.demandSameBarrier(s);
          }
          first = first == null ? s : first;
        }
      }
      if (first == null) {
        return;
      }
      barriers++;
      frame.clock.blockBarrier();
      schedulers.forEach(Scheduler::release);
    }
  }

  private LaunchReport report() {
    var classes = new EnumMap<InstructionClass, Long>(InstructionClass.class);
    long warps = 0;
    List<Instruction> code = frame.program.kernel.instructions();
    for (int b = 0; b < budget.threads.length; b++) {
      Program.Block block = frame.program.blocks.get(b);
      for (Instruction i : code.subList(block.from(), block.to())) {
        if (budget.threads[b] > 0) {
          classes.merge(InstructionClass.of(i), budget.threads[b], Long::sum);
        }
        warps += budget.warps[b];
      }
    }
    Counters c = counters == null ? new Counters() : counters;
    return new LaunchReport(
        frame.program.kernel.name(),
        List.of(launch.gridX(), launch.gridY(), launch.gridZ()),
        List.of(launch.blockX(), launch.blockY(), launch.blockZ()),
        classes,
        warps,
        barriers,
        new LaunchReport.Memory(
            c.loadRequests,
            c.loadSectors,
            c.storeRequests,
            c.storeSectors,
            c.atomicRequests,
            c.sharedRequests,
            c.sharedPasses,
            c.sharedBestPasses));
  }
}
