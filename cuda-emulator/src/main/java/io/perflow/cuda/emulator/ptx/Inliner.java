package io.perflow.cuda.emulator.ptx;

import io.perflow.cuda.driver.Param;
import io.perflow.cuda.ptx.PtxException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * An inliner that puts the body of a function in place of each call, so that whatever runs or
 * analyses kernels needs no stack. Registers, variables and labels of each copy get a prefix of
 * their own; the formal parameters become the variables that the caller passes.
 */
final class Inliner {
  private static final int MAX_CALLS = 1000;

  private final Map<String, PtxParser.Function> functions;
  private final List<Variable> variables = new ArrayList<>();
  private final List<Instruction> instructions = new ArrayList<>();
  private final Map<String, Integer> labels = new HashMap<>();
  private int calls;

  Inliner(Map<String, PtxParser.Function> functions) {
    this.functions = functions;
  }

  PtxKernel expand(PtxKernel kernel) {
    if (kernel.instructions().stream().noneMatch(i -> i.base().equals("call"))) {
      return kernel;
    }
    var body = new BodyParser.Body(kernel.variables(), kernel.instructions(), kernel.labels());
    copy(body, "", Map.of());
    return new PtxKernel(
        kernel.name(), kernel.params(), variables, instructions, labels, kernel.maxThreads());
  }

  private void copy(BodyParser.Body body, String prefix, Map<String, String> formals) {
    var renaming = new HashMap<>(formals);
    for (Variable v : body.variables()) {
      renaming.put(v.name(), prefix + v.name());
      variables.add(
          new Variable(prefix + v.name(), v.space(), v.bytes(), v.alignment(), v.initial()));
    }
    var before = new HashMap<Integer, List<String>>();
    body.labels()
        .forEach(
            (label, at) -> {
              renaming.put(label, prefix + label);
              before.computeIfAbsent(at, k -> new ArrayList<>()).add(prefix + label);
            });
    for (int i = 0; i <= body.instructions().size(); i++) {
      for (String label : before.getOrDefault(i, List.of())) {
        labels.put(label, instructions.size());
      }
      if (i < body.instructions().size()) {
        one(renamed(body.instructions().get(i), prefix, renaming), prefix);
      }
    }
  }

  private void one(Instruction i, String prefix) {
    if (i.base().equals("call")) {
      call(i);
    } else if (i.base().equals("ret") && !prefix.isEmpty()) {
      var end = List.<Operand>of(new Operand.Symbol(prefix + "end"));
      instructions.add(new Instruction(i.line(), i.guard(), List.of("bra"), end));
    } else {
      instructions.add(i);
    }
  }

  private void call(Instruction i) {
    int at = i.operands().get(0) instanceof Operand.Vector ? 1 : 0;
    PtxParser.Function f = functions.get(i.operands().get(at).toString());
    if (f == null || i.guard() != null || ++calls > MAX_CALLS) {
      throw new PtxException(
          i.line(),
          "the call of %s cannot be put in line: it is unknown, guarded or recursive"
              .formatted(i.operands().get(at)));
    }
    var formals = new HashMap<String, String>();
    if (at == 1) {
      bind(f.results(), i.operands().get(0), formals);
    }
    if (i.operands().size() > at + 1) {
      bind(f.params(), i.operands().get(at + 1), formals);
    }
    String prefix = "call" + calls + ".";
    copy(f.body(), prefix, formals);
    labels.put(prefix + "end", instructions.size());
  }

  private static void bind(List<Param> formal, Operand actual, Map<String, String> formals) {
    List<Operand> given = ((Operand.Vector) actual).elements();
    for (int k = 0; k < formal.size(); k++) {
      formals.put(formal.get(k).name(), given.get(k).toString());
    }
  }

  private static Instruction renamed(Instruction i, String prefix, Map<String, String> names) {
    if (prefix.isEmpty()) {
      return i;
    }
    Operand guard = i.guard() == null ? null : renamed(i.guard(), prefix, names);
    List<Operand> operands = i.operands().stream().map(o -> renamed(o, prefix, names)).toList();
    return new Instruction(i.line(), guard, i.opcode(), operands);
  }

  private static Operand renamed(Operand o, String prefix, Map<String, String> names) {
    return switch (o) {
      case Operand.Register r -> new Operand.Register(prefix + r.name(), r.type());
      case Operand.Symbol s -> new Operand.Symbol(names.getOrDefault(s.name(), s.name()));
      case Operand.Address a -> new Operand.Address(renamed(a.base(), prefix, names), a.offset());
      case Operand.Vector v ->
          new Operand.Vector(v.elements().stream().map(e -> renamed(e, prefix, names)).toList());
      case Operand.Pair p ->
          new Operand.Pair(renamed(p.first(), prefix, names), renamed(p.second(), prefix, names));
      case Operand.Not n -> new Operand.Not(renamed(n.predicate(), prefix, names));
      case Operand.Immediate m -> m;
      case Operand.Special m -> m;
      case Operand.Sink m -> m;
    };
  }
}
