package io.perflow.cuda.emulator;

import io.perflow.cuda.emulator.ptx.Instruction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A kernel made ready for blocks of one size: registers, memories of the block, and the
 * instructions bound to them. Blocks run in turn in the same frame.
 */
final class Frame {
  final Program program;
  final ModuleImage image;
  final int threads;
  final int sizeX;
  final int sizeY;
  final int sizeZ;
  final DeviceMemory memory;
  final Clock clock;
  final boolean checksRaces;

  /** Element k is k: the list of lanes of neighbouring threads. */
  final int[] identity;

  /** Offsets of the accesses under way, by position in the list of lanes. */
  final int[] offsets;

  /** For each warp the lanes that have not left the kernel. */
  final int[] live;

  final Op[][] code;
  final byte[] parameters;
  final byte[] local;
  final AsyncCopies copies;
  private final SpecialRegisters special;
  private final boolean[][] guards;

  /** Set for each launch. */
  byte[] shared = new byte[0];

  Shadow sharedShadow;
  int sharedBytes;
  Counters counters;
  int firstSerial;

  /** The number of the block, which no other block has over all launches. */
  int serial;

  private int blockX;
  private int blockY;
  private int blockZ;

  Frame(Program program, int sizeX, int sizeY, int sizeZ, DeviceMemory memory, boolean races) {
    this.program = program;
    this.image = program.image;
    this.sizeX = sizeX;
    this.sizeY = sizeY;
    this.sizeZ = sizeZ;
    this.threads = sizeX * sizeY * sizeZ;
    this.memory = memory;
    this.checksRaces = races;
    this.clock = new Clock(threads);
    this.identity = new int[threads];
    Arrays.setAll(identity, k -> k);
    this.offsets = new int[threads];
    this.live = new int[(threads + Clock.WARP - 1) / Clock.WARP];
    this.parameters = new byte[program.parameterBytes];
    this.local = new byte[threads * program.localBytes];
    this.copies = new AsyncCopies(this);
    var registers = new Registers(threads);
    this.special = new SpecialRegisters(this, registers);
    var translator = new Translator(this, registers, special);
    List<Instruction> all = program.kernel.instructions();
    this.code = new Op[program.blocks.size()][];
    this.guards = new boolean[program.blocks.size()][];
    for (int b = 0; b < code.length; b++) {
      Program.Block block = program.blocks.get(b);
      var ops = new ArrayList<Op>();
      all.subList(block.from(), block.to()).forEach(i -> ops.addAll(translator.translate(i)));
      guards[b] = translator.branchGuard();
      code[b] = ops.toArray(new Op[0]);
    }
  }

  /** Returns the predicate of the branch or exit that ends a block, or null when it has none. */
  boolean[] guard(int block) {
    return guards[block];
  }

  /** Prepares for the blocks of a launch. */
  void begin(Launch launch, Counters count, int first) {
    counters = count;
    firstSerial = first;
    sharedBytes = program.staticSharedBytes + launch.dynamicShared();
    if (shared.length != sharedBytes) {
      shared = new byte[sharedBytes];
      sharedShadow = new Shadow(sharedBytes, program.sharedShift);
    } else if (sharedShadow == null) {
      sharedShadow = new Shadow(sharedBytes, program.sharedShift);
    }
    System.arraycopy(launch.arguments(), 0, parameters, 0, parameters.length);
    special.begin(launch);
  }

  /** Prepares for one block. */
  void beginBlock(int x, int y, int z, int number) {
    blockX = x;
    blockY = y;
    blockZ = z;
    serial = number;
    clock.reset();
    special.beginBlock(x, y, z);
    Allocation.poison(shared);
    Allocation.poison(local);
    copies.reset();
    for (int w = 0; w < live.length; w++) {
      int lanes = Math.min(Clock.WARP, threads - w * Clock.WARP);
      live[w] = lanes == Clock.WARP ? -1 : (1 << lanes) - 1;
    }
  }

  /** Returns a fault with the place where it happened. */
  KernelFault fault(KernelFault.Kind kind, Instruction at, int thread, String what) {
    return new KernelFault(kind, what + place(at, thread));
  }

  /** Returns a fault found elsewhere, with the place where it happened. */
  KernelFault fault(KernelFault found, Instruction at, int thread) {
    String what = found.getMessage().substring(found.kind().name().length() + 2);
    return new KernelFault(found.kind(), what + place(at, thread));
  }

  private String place(Instruction at, int thread) {
    int x = thread % sizeX;
    int y = thread / sizeX % sizeY;
    int z = thread / (sizeX * sizeY);
    return "; kernel %s, line %d, %s, block (%d, %d, %d), thread (%d, %d, %d)"
        .formatted(program.kernel.name(), at.line(), at.name(), blockX, blockY, blockZ, x, y, z);
  }
}
