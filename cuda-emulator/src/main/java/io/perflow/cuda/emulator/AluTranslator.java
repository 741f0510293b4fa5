package io.perflow.cuda.emulator;

import io.perflow.cuda.emulator.ptx.Instruction;
import io.perflow.cuda.emulator.ptx.Operand;
import io.perflow.cuda.ptx.PtxException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * A translator of instructions that only compute into loops over registers. If an operand's
 * register has another type than the function needs, its bits are reinterpreted.
 */
final class AluTranslator {
  private final Registers registers;
  private final Function<Operand, Object> named;
  private List<Op> out = new ArrayList<>();
  private Instruction at;

  /** {@code named} gives the array of special registers and the addresses of variables. */
  AluTranslator(Registers registers, Function<Operand, Object> named) {
    this.registers = registers;
    this.named = named;
  }

  /** Returns the loops that compute an instruction. */
  List<Op> translate(Instruction i) {
    at = i;
    out = new ArrayList<>();
    List<Operand> o = i.operands();
    switch (i.base()) {
      case "mov" -> move(o.get(0), o.get(1));
      case "setp" -> compare(o);
      case "cvt" -> convert(o.get(0), o.get(1));
      case "addc", "subc", "madc" -> withCarry(o);
      default -> {
        if (i.has("cc")) {
          withCarry(o);
        } else {
          plain(o);
        }
      }
    }
    return out;
  }

  /**
   * Returns a source as an array of the wanted kind, for instructions that do more than compute.
   */
  Object source(Instruction i, List<Op> before, Operand o, Kind want) {
    at = i;
    out = before;
    return source(o, want);
  }

  /** Returns the array behind a destination register. */
  Object destination(Operand o, Kind kind) {
    return o instanceof Operand.Register r ? registers.of(r) : registers.temporary(kind);
  }

  private void plain(List<Operand> o) {
    Method f = function(Opcodes.nameOf(at));
    boolean flush = at.has("ftz") && at.type().equals("f32");
    Object[] sources = new Object[o.size() - 1];
    for (int k = 0; k < sources.length; k++) {
      Kind kind = Kind.of(f.getParameterTypes()[k]);
      sources[k] = source(o.get(k + 1), kind);
      if (flush && kind == Kind.FLOAT) {
        sources[k] = via("ftz_f32", sources[k]);
      }
    }
    emit(f, o.get(0), sources);
    if (flush) {
      emit(function("ftz_f32"), o.get(0), source(o.get(0), Kind.FLOAT));
    }
    if (at.has("sat")) {
      emit(function("sat_f32"), o.get(0), source(o.get(0), Kind.FLOAT));
    }
  }

  // ------------------------------------------------------------ moves

  private void move(Operand to, Operand from) {
    String pair = at.type().endsWith("64") ? "b64" : "b32";
    if (from instanceof Operand.Vector v) {
      demand(v.elements().size() == 2, "only pairs can be packed");
      Object low = source(v.elements().get(0), Kind.INT);
      emit(function("pack_" + pair), to, low, source(v.elements().get(1), Kind.INT));
    } else if (to instanceof Operand.Vector v) {
      demand(v.elements().size() == 2, "only pairs can be unpacked");
      Object whole = source(from, Kind.ofType(pair));
      // The source may be one of the two registers written.
      Object low = via("low_" + pair, whole);
      emit(function("high_" + pair), v.elements().get(1), whole);
      emit(function("mov_b32"), v.elements().get(0), low);
    } else {
      Kind kind = Kind.ofType(at.type());
      emit(function("mov_" + kind.type), to, source(from, kind));
    }
  }

  // ------------------------------------------------------------ comparisons

  private void compare(List<Operand> o) {
    Method f = function(Opcodes.comparison(at));
    Kind kind = Kind.of(f.getParameterTypes()[0]);
    Object a = source(o.get(1), kind);
    Object b = source(o.get(2), kind);
    Operand first = o.get(0) instanceof Operand.Pair p ? p.first() : o.get(0);
    if (o.size() == 3 && first == o.get(0)) {
      emit(f, first, a, b);
      return;
    }
    Object result = registers.temporary(Kind.PREDICATE);
    out.add(LoopMaker.loop(f, result, a, b));
    if (o.get(0) instanceof Operand.Pair p) {
      combined(p.second(), via("not_pred", result), o);
    }
    combined(first, result, o);
  }

  private void combined(Operand to, Object result, List<Operand> o) {
    if (o.size() == 3) {
      emit(function("mov_pred"), to, result);
      return;
    }
    String how = at.has("and") ? "and" : at.has("or") ? "or" : "xor";
    emit(function(how + "_pred"), to, result, source(o.get(3), Kind.PREDICATE));
  }

  // ------------------------------------------------------------ conversions

  /** Translates a conversion to a chain of steps, the last of which writes the target. */
  private void convert(Operand to, Operand from) {
    String source = at.type();
    String target = at.opcode().get(at.opcode().size() - 2);
    demand(!at.has("rz") && !at.has("rm") && !at.has("rp"), "only rounding to nearest is known");
    var steps = new ArrayList<String>();
    String value = source;
    if (source.equals("f16")) {
      steps.add("f32_of_f16");
      value = "f32";
    } else if (source.endsWith("8") || source.endsWith("16")) {
      steps.add("narrow_" + source);
      value = "s32";
    }
    if (at.has("ftz") && value.equals("f32")) {
      steps.add("ftz_f32");
    }
    for (String mode : new String[] {"rni", "rzi", "rmi", "rpi"}) {
      if (at.has(mode)) {
        steps.add(mode + "_" + value);
      }
    }
    change(value, target, steps);
    if (to instanceof Operand.Register r && r.type().endsWith("16") && target.startsWith("s")) {
      steps.add("narrow_u16");
    }
    if (at.has("sat")) {
      demand(target.equals("f32"), "saturation is known for f32 only");
      steps.add("sat_f32");
    }
    Object array = source(from, Kind.ofType(source));
    if (steps.isEmpty()) {
      steps.add("mov_" + Kind.ofType(target).type);
    }
    for (int k = 0; k + 1 < steps.size(); k++) {
      array = via(steps.get(k), array);
    }
    emit(function(steps.get(steps.size() - 1)), to, array);
  }

  private static void change(String source, String target, List<String> steps) {
    if (target.equals("tf32") || target.equals("f16")) {
      steps.add(target + "_of_f32");
    } else if (source.startsWith("f") || target.startsWith("f")) {
      if (!source.equals(target)) {
        steps.add(target + "_of_" + source);
      }
    } else if (target.endsWith("64")) {
      if (!source.endsWith("64")) {
        steps.add(source.startsWith("s") ? "s64_of_s32" : "s64_of_u32");
      }
    } else {
      if (source.endsWith("64")) {
        steps.add("low_b64");
      }
      if (!target.endsWith("32")) {
        steps.add("narrow_" + target);
      }
    }
  }

  // ------------------------------------------------------------ carries

  /**
   * Translates a sum with a carry, which is a register of its own; it is written after the sum has
   * read it.
   */
  private void withCarry(List<Operand> o) {
    demand(at.type().endsWith("32"), "carries are known for 32 bits only");
    boolean in = at.base().endsWith("c");
    String name = in ? at.base().substring(0, 3) : at.base();
    if (name.equals("mad")) {
      name += at.has("hi") ? "_hi" : "_lo";
    }
    Object flag = registers.of("carry flag", Kind.INT);
    Object[] sources = new Object[o.size()];
    for (int k = 0; k + 1 < o.size(); k++) {
      sources[k] = source(o.get(k + 1), Kind.INT);
    }
    sources[o.size() - 1] = in ? flag : registers.constant(Kind.INT, 0);
    Object carry = at.has("cc") ? via(name + "_carry", sources) : flag;
    emit(function(name + "_sum"), o.get(0), sources);
    if (at.has("cc")) {
      out.add(LoopMaker.loop(function("mov_b32"), flag, carry));
    }
  }

  // ------------------------------------------------------------ operands

  private Object source(Operand o, Kind want) {
    return switch (o) {
      case Operand.Register r -> recast(registers.of(r), want);
      case Operand.Immediate c -> constant(c, want);
      case Operand.Not n -> via("not_pred", source(n.predicate(), Kind.PREDICATE));
      default -> recast(named.apply(o), want);
    };
  }

  /** Returns a constant; the upper half of a 16-bit number is zero, also that of a negative one. */
  private Object constant(Operand.Immediate c, Kind want) {
    boolean half = at.type().endsWith("16") && want == Kind.INT;
    return registers.constant(want, half ? c.bits() & 0xffff : c.bits());
  }

  private Object recast(Object array, Kind want) {
    Kind have = Kind.of(array.getClass().getComponentType());
    return have == want ? array : via(cast(have, want), array);
  }

  private String cast(Kind from, Kind to) {
    String name =
        switch (from) {
          case FLOAT -> to == Kind.INT ? "bits_of_f32" : "";
          case DOUBLE -> to == Kind.LONG ? "bits_of_f64" : "";
          case INT -> to == Kind.FLOAT ? "f32_of_bits" : to == Kind.LONG ? "s64_of_u32" : "";
          case LONG -> to == Kind.DOUBLE ? "f64_of_bits" : to == Kind.INT ? "low_b64" : "";
          case PREDICATE -> "";
        };
    demand(!name.isEmpty(), "a register of kind %s cannot stand for %s".formatted(from, to));
    return name;
  }

  /** Returns the result of a function in a register of its own. */
  private Object via(String name, Object... sources) {
    Method f = function(name);
    Object result = registers.temporary(Kind.of(f.getReturnType()));
    Object[] all = new Object[sources.length + 1];
    all[0] = result;
    System.arraycopy(sources, 0, all, 1, sources.length);
    out.add(LoopMaker.loop(f, all));
    return result;
  }

  private void emit(Method f, Operand to, Object... sources) {
    demand(
        sources.length == f.getParameterCount(),
        "takes %d operands, has %d".formatted(f.getParameterCount(), sources.length));
    Kind result = Kind.of(f.getReturnType());
    Object target = destination(to, result);
    Kind have = Kind.of(target.getClass().getComponentType());
    Object[] all = new Object[sources.length + 1];
    all[0] = have == result ? target : registers.temporary(result);
    System.arraycopy(sources, 0, all, 1, sources.length);
    out.add(LoopMaker.loop(f, all));
    if (have != result) {
      out.add(LoopMaker.loop(function(cast(result, have)), target, all[0]));
    }
  }

  private Method function(String name) {
    Method f = Opcodes.function(name);
    demand(f != null, "the emulator does not know it");
    return f;
  }

  private void demand(boolean ok, String problem) {
    if (!ok) {
      throw new PtxException(at.line(), at.name() + ": " + problem);
    }
  }
}
