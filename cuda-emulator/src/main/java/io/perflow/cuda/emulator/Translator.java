package io.perflow.cuda.emulator;

import io.perflow.cuda.driver.Param;
import io.perflow.cuda.emulator.ptx.Instruction;
import io.perflow.cuda.emulator.ptx.Operand;
import io.perflow.cuda.ptx.PtxException;
import java.util.ArrayList;
import java.util.List;

/**
 * A translator that binds the instructions of a kernel to the registers and memories of a {@link
 * Frame}.
 */
final class Translator {
  private final Frame frame;
  private final Registers registers;
  private final SpecialRegisters special;
  private final AluTranslator alu;
  private boolean[] branchGuard;

  Translator(Frame frame, Registers registers, SpecialRegisters special) {
    this.frame = frame;
    this.registers = registers;
    this.special = special;
    this.alu = new AluTranslator(registers, this::named);
  }

  /** Returns the predicate of the last branch or exit translated, or null; asked once for each. */
  boolean[] branchGuard() {
    boolean[] guard = branchGuard;
    branchGuard = null;
    return guard;
  }

  /** Returns the steps of an instruction, in order. */
  List<Op> translate(Instruction i) {
    String unknown = Opcodes.unknownModifier(i);
    demand(unknown.isEmpty(), i, "the modifier ." + unknown + " is not known");
    registers.nextInstruction();
    var before = new ArrayList<Op>();
    boolean[] guard =
        i.guard() == null ? null : (boolean[]) alu.source(i, before, i.guard(), Kind.PREDICATE);
    List<Op> own;
    try {
      own = unguarded(i);
    } catch (IllegalArgumentException e) {
      throw e instanceof PtxException
          ? e
          : new PtxException(i.line(), i.name() + ": " + e.getMessage());
    }
    switch (i.base()) {
      case "bra", "ret", "exit" -> branchGuard = guard;
      default -> {
        if (guard != null) {
          demand(!Program.ofWarp(i), i, "an operation of a warp cannot be guarded");
          own = List.of(new Guarded(frame, guard, own.toArray(new Op[0])));
        }
      }
    }
    before.addAll(own);
    return before;
  }

  private List<Op> unguarded(Instruction i) {
    return switch (i.base()) {
      case "bra", "ret", "exit", "barrier" -> List.of();
      case "membar", "fence", "prefetch", "prefetchu", "nanosleep" -> List.of();
      case "bar" -> i.has("warp") ? warp(i) : List.of();
      case "brx" -> indexedBranch(i);
      case "ld", "ldu" -> load(i);
      case "st" -> store(i);
      case "atom", "red" -> atomic(i);
      case "cvta" -> convertAddress(i);
      case "cp" -> asyncCopy(i);
      case "shfl", "vote", "match", "redux", "activemask" -> warp(i);
      case "wmma" -> tensor(i);
      case "trap" -> List.of(trap(i));
      default -> alu.translate(i);
    };
  }

  private Op trap(Instruction i) {
    return (lanes, from, to) -> {
      throw frame.fault(KernelFault.Kind.TRAP, i, lanes[from], "the kernel gave up");
    };
  }

  // ------------------------------------------------------------ memory

  private List<Op> load(Instruction i) {
    var ops = new ArrayList<Op>();
    List<Operand> to = elements(i.operands().get(0));
    int element = Transfers.bytesOf(i.type());
    var transfers = new Transfers.Transfer[to.size()];
    for (int k = 0; k < transfers.length; k++) {
      Object register = alu.destination(to.get(k), Kind.ofType(i.type()));
      boolean half = to.get(k) instanceof Operand.Register r && r.type().endsWith("16");
      transfers[k] = Transfers.load(i.type(), register, half);
    }
    ops.add(moves(i, ops, i.operands().get(1), Access.Purpose.LOAD, transfers, element));
    return ops;
  }

  private List<Op> store(Instruction i) {
    var ops = new ArrayList<Op>();
    List<Operand> from = elements(i.operands().get(1));
    int element = Transfers.bytesOf(i.type());
    var transfers = new Transfers.Transfer[from.size()];
    for (int k = 0; k < transfers.length; k++) {
      Object register =
          from.get(k) instanceof Operand.Register r
              ? registers.of(r)
              : alu.source(i, ops, from.get(k), Kind.ofType(i.type()));
      transfers[k] = Transfers.store(i.type(), register);
    }
    ops.add(moves(i, ops, i.operands().get(0), Access.Purpose.STORE, transfers, element));
    return ops;
  }

  private Access moves(
      Instruction i,
      List<Op> before,
      Operand address,
      Access.Purpose purpose,
      Transfers.Transfer[] transfers,
      int element) {
    int bytes = element * transfers.length;
    return new Access(frame, i, purpose, window(i, address), pointer(i, before, address), bytes) {
      @Override
      void transfer(byte[] data, int[] offsets, int[] lanes, int from, int to) {
        for (int k = 0; k < transfers.length; k++) {
          transfers[k].run(data, offsets, k * element, lanes, from, to);
        }
      }
    };
  }

  private List<Op> atomic(Instruction i) {
    var ops = new ArrayList<Op>();
    boolean returns = i.base().equals("atom");
    List<Operand> o = i.operands();
    Kind kind = Kind.ofType(i.type());
    Object result = returns ? alu.destination(o.get(0), kind) : null;
    int first = returns ? 1 : 0;
    Object a = alu.source(i, ops, o.get(first + 1), kind);
    Object b = o.size() > first + 2 ? alu.source(i, ops, o.get(first + 2), kind) : null;
    Access.Pointer pointer = pointer(i, ops, o.get(first));
    ops.add(new Atomic(frame, i, window(i, o.get(first)), pointer, result, a, b));
    return ops;
  }

  private List<Op> asyncCopy(Instruction i) {
    demand(i.has("async"), i, "only cp.async is known");
    if (i.has("commit_group")) {
      return List.of(frame.copies.commit());
    }
    if (i.has("wait_all")) {
      return List.of(frame.copies.waitFor(-1));
    }
    if (i.has("wait_group")) {
      long pending = ((Operand.Immediate) i.operands().get(0)).bits();
      return List.of(frame.copies.waitFor((int) pending));
    }
    var ops = new ArrayList<Op>();
    List<Operand> o = i.operands();
    int bytes = (int) ((Operand.Immediate) o.get(2)).bits();
    int[] size = o.size() > 3 ? (int[]) alu.source(i, ops, o.get(3), Kind.INT) : null;
    ops.add(
        frame.copies.copy(i, pointer(i, ops, o.get(0)), pointer(i, ops, o.get(1)), bytes, size));
    return ops;
  }

  private List<Op> convertAddress(Instruction i) {
    Window window = windowOf(i);
    long shift = i.has("to") ? -window.base : window.base;
    var sum =
        new Instruction(
            i.line(),
            null,
            List.of("add", "u64"),
            List.of(i.operands().get(0), i.operands().get(1), new Operand.Immediate(shift, false)));
    return alu.translate(sum);
  }

  // ------------------------------------------------------------ control and warps

  /** Translates a branch by index; the scheduler asks for the index when the block ends. */
  private List<Op> indexedBranch(Instruction i) {
    var ops = new ArrayList<Op>();
    Object index = alu.source(i, ops, i.operands().get(0), Kind.INT);
    ops.add(new Scheduler.IndexedBranch((int[]) index));
    return ops;
  }

  private List<Op> warp(Instruction i) {
    var ops = new ArrayList<Op>();
    ops.add(WarpOps.of(frame, i, (o, kind) -> alu.source(i, ops, o, kind), alu::destination));
    return ops;
  }

  private List<Op> tensor(Instruction i) {
    var ops = new ArrayList<Op>();
    Operand address =
        i.operands().stream().filter(Operand.Address.class::isInstance).findAny().orElse(null);
    Access.Pointer pointer = address == null ? null : pointer(i, ops, address);
    ops.add(
        TensorOps.of(
            frame,
            i,
            address == null ? null : windowOf(i),
            pointer,
            (o, kind) -> alu.source(i, ops, o, kind),
            alu::destination));
    return ops;
  }

  // ------------------------------------------------------------ operands

  private static List<Operand> elements(Operand o) {
    return o instanceof Operand.Vector v ? v.elements() : List.of(o);
  }

  private Access.Pointer pointer(Instruction i, List<Op> before, Operand address) {
    demand(address instanceof Operand.Address, i, "an address is expected");
    Operand.Address a = (Operand.Address) address;
    Object base =
        a.base() instanceof Operand.Register r
            ? registers.of(r)
            : alu.source(i, before, a.base(), Kind.LONG);
    return new Access.Pointer(base, a.offset());
  }

  /**
   * Returns the memory named by the opcode; arguments of a function put in line are local
   * variables.
   */
  private Window window(Instruction i, Operand address) {
    Window window = windowOf(i);
    boolean local =
        ((Operand.Address) address).base() instanceof Operand.Symbol s
            && frame.program.localOffsets.containsKey(s.name());
    return window == Window.PARAM && local ? Window.LOCAL : window;
  }

  private static Window windowOf(Instruction i) {
    return i.opcode().stream().map(Window::named).filter(w -> w != null).findFirst().orElse(null);
  }

  /** Returns special registers and the addresses of variables, each in its own memory. */
  private Object named(Operand o) {
    if (o instanceof Operand.Special s) {
      Object array = special.of(s.name());
      if (array == null) {
        throw new IllegalArgumentException(s.name() + " is not known");
      }
      return array;
    }
    if (!(o instanceof Operand.Symbol)) {
      throw new IllegalArgumentException(o + " cannot stand here");
    }
    return registers.constant(Kind.LONG, addressOf(o.toString()));
  }

  private long addressOf(String name) {
    Program p = frame.program;
    if (p.sharedOffsets.containsKey(name)) {
      return p.sharedOffsets.get(name);
    }
    if (p.localOffsets.containsKey(name)) {
      return p.localOffsets.get(name);
    }
    if (frame.image.constantOffsets.containsKey(name)) {
      return frame.image.constantOffsets.get(name);
    }
    if (frame.image.globals.containsKey(name)) {
      return frame.image.globals.get(name).base;
    }
    for (Param param : p.kernel.params()) {
      if (param.name().equals(name)) {
        return param.offset();
      }
    }
    throw new IllegalArgumentException("there is no variable " + name);
  }

  private static void demand(boolean ok, Instruction i, String problem) {
    if (!ok) {
      throw new PtxException(i.line(), i.name() + ": " + problem);
    }
  }
}
