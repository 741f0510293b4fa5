package io.perflow.cuda.emulator;

import io.perflow.cuda.emulator.ptx.Instruction;
import java.util.ArrayList;
import java.util.List;

/**
 * A scheduler that runs the threads {@code from … to - 1} of a block: the whole block in lock-step,
 * or one warp. Threads that stand at the same basic block form a group and run it together; of
 * several groups the one furthest back runs first, which brings threads that have parted together
 * again where their paths meet.
 */
final class Scheduler {
  /** Threads in ascending order that stand before the same basic block. */
  private static final class Group {
    int block;
    int[] lanes;
    int n;

    /** Waits for lanes of its warps that stand elsewhere. */
    boolean parked;

    Group(int block, int[] lanes, int n) {
      this.block = block;
      this.lanes = lanes;
      this.n = n;
    }

    boolean neighbours() {
      return lanes[n - 1] - lanes[0] == n - 1;
    }
  }

  /** Marks the index by which threads part at the end of a block. */
  record IndexedBranch(int[] index) implements Op {
    @Override
    public void run(int[] lanes, int from, int to) {}
  }

  private final Frame frame;
  private final Budget budget;
  private final int from;
  private final int to;
  private final List<Group> groups = new ArrayList<>();
  private final int[] taken;

  /** Threads that wait at the barrier, all before the same block. */
  private Group waiting;

  Scheduler(Frame frame, Budget budget, int from, int to) {
    this.frame = frame;
    this.budget = budget;
    this.from = from;
    this.to = to;
    this.taken = new int[to - from];
  }

  /** Puts all threads at the beginning of the kernel. */
  void start() {
    groups.clear();
    waiting = null;
    int[] lanes = new int[to - from];
    System.arraycopy(frame.identity, from, lanes, 0, lanes.length);
    groups.add(new Group(0, lanes, lanes.length));
  }

  /** Runs until every thread has left, or waits at the barrier. */
  void run() {
    Group g;
    while ((g = next()) != null) {
      run(g);
    }
    if (!groups.isEmpty()) {
      Group stuck = groups.getFirst();
      Instruction at = instructionAt(stuck.block);
      throw frame.fault(
          KernelFault.Kind.DIVERGENT,
          at,
          stuck.lanes[0],
          "waits for lanes of its warp that never come");
    }
  }

  private Instruction instructionAt(int block) {
    return frame.program.kernel.instructions().get(frame.program.blocks.get(block).from());
  }

  /** Takes the group furthest back that can run. */
  private Group next() {
    Group least = null;
    for (Group g : groups) {
      if (!g.parked && (least == null || g.block < least.block)) {
        least = g;
      }
    }
    groups.remove(least);
    return least;
  }

  /** Runs a group until it ends, waits, or others stand further back. */
  private void run(Group g) {
    do {
      if (g.block == frame.code.length) {
        leave(g);
        return;
      }
      Program.Block block = frame.program.blocks.get(g.block);
      if (block.end() == Program.End.WARP && !gather(g)) {
        return;
      }
      budget.spend(g.block, g.n, g.lanes);
      execute(g, frame.code[g.block]);
      if (!follow(g, block)) {
        return;
      }
    } while (groups.isEmpty());
    add(g);
  }

  private void execute(Group g, Op[] ops) {
    if (g.neighbours()) {
      int first = g.lanes[0];
      int end = first + g.n;
      for (Op op : ops) {
        op.run(frame, first, end);
      }
    } else {
      for (Op op : ops) {
        op.run(g.lanes, 0, g.n);
      }
    }
  }

  /** Returns where a group goes after its block; false when it has ended or waits. */
  private boolean follow(Group g, Program.Block block) {
    boolean[] guard = frame.guard(g.block);
    switch (block.end()) {
      case NEXT, WARP -> g.block++;
      case BRANCH -> branch(g, guard, block.targets()[0]);
      case INDEXED_BRANCH -> indexed(g, block.targets());
      case EXIT -> {
        if (guard == null) {
          leave(g);
          return false;
        }
        Group rest = split(g, guard);
        leave(rest);
        g.block++;
        return g.n > 0;
      }
      case BARRIER -> {
        g.block++;
        waitAtBarrier(g);
        return false;
      }
    }
    return true;
  }

  private void branch(Group g, boolean[] guard, int target) {
    if (guard == null) {
      g.block = target;
      return;
    }
    Group jumping = split(g, guard);
    if (g.n == 0) {
      g.lanes = jumping.lanes;
      g.n = jumping.n;
      g.block = target;
      return;
    }
    g.block++;
    if (jumping.n > 0) {
      jumping.block = target;
      add(jumping);
    }
  }

  /** Takes the threads with a true predicate out of a group. */
  private Group split(Group g, boolean[] predicate) {
    int yes = 0;
    for (int k = 0; k < g.n; k++) {
      yes += predicate[g.lanes[k]] ? 1 : 0;
    }
    if (yes == 0) {
      return new Group(g.block, g.lanes, 0);
    }
    if (yes == g.n) {
      var all = new Group(g.block, g.lanes, g.n);
      g.n = 0;
      return all;
    }
    int[] first = new int[yes];
    int[] rest = new int[g.n - yes];
    int a = 0;
    int b = 0;
    for (int k = 0; k < g.n; k++) {
      if (predicate[g.lanes[k]]) {
        first[a++] = g.lanes[k];
      } else {
        rest[b++] = g.lanes[k];
      }
    }
    g.lanes = rest;
    g.n = b;
    return new Group(g.block, first, a);
  }

  private void indexed(Group g, int[] targets) {
    Op[] ops = frame.code[g.block];
    int[] index = ((IndexedBranch) ops[ops.length - 1]).index();
    var is = new boolean[frame.threads];
    for (int t = 0; t < targets.length && g.n > 0; t++) {
      for (int k = 0; k < g.n; k++) {
        is[g.lanes[k]] = index[g.lanes[k]] == t;
      }
      Group there = split(g, is);
      if (there.n > 0) {
        there.block = targets[t];
        add(there);
      }
    }
    if (g.n > 0) {
      throw frame.fault(
          KernelFault.Kind.OUT_OF_BOUNDS,
          instructionAt(g.block),
          g.lanes[0],
          "index %d of a branch with %d targets".formatted(index[g.lanes[0]], targets.length));
    }
    Group some = groups.removeLast();
    g.lanes = some.lanes;
    g.n = some.n;
    g.block = some.block;
  }

  private void leave(Group g) {
    for (int k = 0; k < g.n; k++) {
      frame.live[g.lanes[k] / Clock.WARP] &= ~(1 << g.lanes[k]);
    }
    // Who waits for lanes may have waited for these.
    for (Group other : groups) {
      other.parked = false;
    }
  }

  /** Adds a group, together with the one that stands at the same block. */
  private void add(Group g) {
    for (Group other : groups) {
      if (other.block == g.block) {
        merge(other, g);
        other.parked = false;
        return;
      }
    }
    groups.add(g);
  }

  private static void merge(Group into, Group g) {
    int[] merged = new int[into.n + g.n];
    int a = 0;
    int b = 0;
    for (int k = 0; k < merged.length; k++) {
      boolean left = b == g.n || a < into.n && into.lanes[a] < g.lanes[b];
      merged[k] = left ? into.lanes[a++] : g.lanes[b++];
    }
    into.lanes = merged;
    into.n = merged.length;
  }

  /** Keeps in the group the warps whose lanes are all here; the others wait for the rest. */
  private boolean gather(Group g) {
    Op[] ops = frame.code[g.block];
    if (!(ops[ops.length - 1] instanceof WarpOp op)) {
      return true;
    }
    for (int k = 0; k + 1 < ops.length; k++) {
      ops[k].run(g.lanes, 0, g.n);
    }
    int ready = 0;
    int late = 0;
    int[] kept = null;
    for (int k = 0; k < g.n; ) {
      int start = k;
      int warp = g.lanes[k] / Clock.WARP;
      int present = 0;
      for (; k < g.n && g.lanes[k] / Clock.WARP == warp; k++) {
        present |= 1 << g.lanes[k];
      }
      if (op.complete(warp * Clock.WARP, present)) {
        if (kept != null) {
          System.arraycopy(g.lanes, start, kept, ready, k - start);
        }
        ready += k - start;
      } else {
        if (kept == null) {
          kept = g.lanes.clone();
        }
        System.arraycopy(g.lanes, start, taken, late, k - start);
        late += k - start;
      }
    }
    if (late > 0) {
      int[] lanes = new int[late];
      System.arraycopy(taken, 0, lanes, 0, late);
      var behind = new Group(g.block, lanes, late);
      behind.parked = true;
      groups.add(behind);
      g.lanes = kept;
      g.n = ready;
    }
    return ready > 0;
  }

  // ------------------------------------------------------------ the barrier of the block

  private void waitAtBarrier(Group g) {
    if (waiting == null) {
      waiting = g;
      return;
    }
    if (waiting.block != g.block) {
      throw apart(waiting, g);
    }
    merge(waiting, g);
  }

  private KernelFault apart(Group one, Group other) {
    return frame.fault(
        KernelFault.Kind.DIVERGENT,
        instructionAt(one.block - 1),
        one.lanes[0],
        "thread %d waits here and thread %d at the barrier in line %d"
            .formatted(one.lanes[0], other.lanes[0], barrierLine(other.block)));
  }

  private int barrierLine(int block) {
    int last = frame.program.blocks.get(block - 1).to() - 1;
    return frame.program.kernel.instructions().get(last).line();
  }

  /** Returns whether threads wait at the barrier. */
  boolean waits() {
    return waiting != null;
  }

  /** Throws when the threads of two schedulers wait at different barriers. */
  void demandSameBarrier(Scheduler other) {
    if (waiting.block != other.waiting.block) {
      throw apart(waiting, other.waiting);
    }
  }

  /** Lets the waiting threads continue. */
  void release() {
    if (waiting != null) {
      groups.add(waiting);
      waiting = null;
    }
  }
}
