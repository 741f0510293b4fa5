package io.perflow.cuda.emulator;

import io.perflow.cuda.driver.Param;
import io.perflow.cuda.emulator.ptx.Instruction;
import io.perflow.cuda.emulator.ptx.Operand;
import io.perflow.cuda.emulator.ptx.PtxKernel;
import io.perflow.cuda.emulator.ptx.Variable;
import io.perflow.cuda.ptx.PtxException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * A kernel cut into basic blocks, with its memory laid out. A block is run from its first to its
 * last instruction by threads that stand together; it ends where they may part or have to wait.
 */
final class Program {
  /** What happens behind the last instruction of a block. */
  enum End {
    NEXT,
    BRANCH,
    INDEXED_BRANCH,
    EXIT,
    BARRIER,
    WARP
  }

  /** Instructions {@code from … to - 1}; the last one decides how the block ends. */
  record Block(int from, int to, End end, int[] targets) {}

  /** Operations of whole warps, which wait for the lanes they name. */
  private static final Set<String> OF_WARPS = Set.of("shfl", "vote", "match", "redux", "wmma");

  private static final int WORD_SHIFT = 2;

  final PtxKernel kernel;
  final ModuleImage image;
  final List<Block> blocks = new ArrayList<>();

  /** Where the variables of the kernel begin in shared and local memory. */
  final Map<String, Integer> sharedOffsets = new HashMap<>();

  final Map<String, Integer> localOffsets = new HashMap<>();
  final int staticSharedBytes;
  final int localBytes;
  final int parameterBytes;

  /** Logarithm of the granularity at which races are looked for: the smallest access, or a word. */
  final int globalShift;

  final int sharedShift;

  Program(PtxKernel kernel, ModuleImage image) {
    this.kernel = kernel;
    this.image = image;
    cut();
    int shared = 0;
    int local = 0;
    var all = new ArrayList<>(kernel.variables());
    all.addAll(image.shared);
    for (Variable v : all) {
      if (v.space().equals("local")) {
        local = roundUp(local, v.alignment());
        localOffsets.put(v.name(), local);
        local += v.bytes();
      } else if (!v.dynamic() && used(v)) {
        shared = roundUp(shared, v.alignment());
        sharedOffsets.put(v.name(), shared);
        shared += v.bytes();
      }
    }
    for (Variable v : all) {
      if (v.dynamic()) {
        shared = roundUp(shared, v.alignment());
        sharedOffsets.put(v.name(), shared);
      }
    }
    staticSharedBytes = shared;
    localBytes = roundUp(local, 16);
    List<Param> params = kernel.params();
    parameterBytes = params.isEmpty() ? 0 : params.getLast().offset() + params.getLast().bytes();
    globalShift = granularity("global");
    sharedShift = granularity("shared");
  }

  static int roundUp(int value, int alignment) {
    return (value + alignment - 1) & -alignment;
  }

  /**
   * Returns whether a variable is used; a shared variable of the module counts only for kernels
   * that name it.
   */
  private boolean used(Variable v) {
    return kernel.variables().contains(v)
        || kernel.instructions().stream()
            .flatMap(i -> i.operands().stream())
            .anyMatch(o -> o.toString().contains(v.name()));
  }

  /** Returns whether an instruction waits for the other lanes of its warp. */
  static boolean ofWarp(Instruction i) {
    return OF_WARPS.contains(i.base()) || i.base().equals("bar") && i.has("warp");
  }

  private static boolean isBarrier(Instruction i) {
    return (i.base().equals("bar") || i.base().equals("barrier")) && !i.has("warp");
  }

  private void cut() {
    List<Instruction> code = kernel.instructions();
    var starts = new TreeSet<Integer>();
    starts.add(0);
    kernel.labels().values().forEach(starts::add);
    for (int i = 0; i < code.size(); i++) {
      if (ofWarp(code.get(i))) {
        starts.add(i);
      }
      if (endOf(code.get(i)) != End.NEXT) {
        starts.add(i + 1);
      }
    }
    starts.add(code.size());
    var order = new ArrayList<>(starts);
    var numbers = new HashMap<Integer, Integer>();
    for (int b = 0; b < order.size(); b++) {
      numbers.put(order.get(b), b);
    }
    for (int b = 0; b + 1 < order.size(); b++) {
      Instruction last = code.get(order.get(b + 1) - 1);
      End end = endOf(last);
      blocks.add(new Block(order.get(b), order.get(b + 1), end, targets(last, end, numbers)));
    }
  }

  private static End endOf(Instruction i) {
    if (ofWarp(i)) {
      return End.WARP;
    }
    if (isBarrier(i)) {
      if (!i.has("sync") || i.operands().size() != 1 || i.guard() != null) {
        throw new PtxException(i.line(), i.name() + ": only barriers of the whole block are known");
      }
      return End.BARRIER;
    }
    return switch (i.base()) {
      case "bra" -> End.BRANCH;
      case "brx" -> End.INDEXED_BRANCH;
      case "ret", "exit" -> End.EXIT;
      default -> End.NEXT;
    };
  }

  private int[] targets(Instruction last, End end, Map<Integer, Integer> numbers) {
    List<Operand> labels =
        switch (end) {
          case BRANCH -> last.operands();
          case INDEXED_BRANCH -> ((Operand.Vector) last.operands().get(1)).elements();
          default -> List.of();
        };
    return labels.stream().mapToInt(l -> numbers.get(indexOf(last, l.toString()))).toArray();
  }

  private int indexOf(Instruction at, String label) {
    Integer index = kernel.labels().get(label);
    if (index == null) {
      throw new PtxException(at.line(), "there is no label " + label);
    }
    return index;
  }

  private int granularity(String space) {
    int shift = WORD_SHIFT;
    for (Instruction i : kernel.instructions()) {
      boolean memory = i.base().equals("ld") || i.base().equals("st");
      boolean elsewhere =
          i.opcode().stream().anyMatch(m -> Window.named(m) != null && !m.equals(space));
      if (memory && !elsewhere) {
        shift = Math.min(shift, Integer.numberOfTrailingZeros(bytesOf(i)));
      }
    }
    return shift;
  }

  private static int bytesOf(Instruction i) {
    try {
      return Transfers.bytesOf(i.type());
    } catch (IllegalArgumentException e) {
      throw new PtxException(i.line(), i.name() + ": " + e.getMessage());
    }
  }
}
