package io.perflow.cuda.emulator.ptx;

import io.perflow.cuda.ptx.PtxException;
import io.perflow.cuda.ptx.Tokens;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A parser of the text between the braces of a kernel or function. Braces inside open a scope, as
 * inline assembly does; names declared there are made unique by the number of the scope.
 */
final class BodyParser {
  /** Variables, instructions, and the index of the instruction behind each label. */
  record Body(
      List<Variable> variables, List<Instruction> instructions, Map<String, Integer> labels) {}

  private record Scope(
      int number, Map<String, String> registers, Map<String, Integer> families, List<String> own) {
    String unique(String name) {
      return number == 0 ? name : name + "#" + number;
    }
  }

  private final Tokens in;
  private final Deque<Scope> scopes = new ArrayDeque<>();
  private final List<Variable> variables = new ArrayList<>();
  private final List<Instruction> instructions = new ArrayList<>();
  private final Map<String, Integer> labels = new HashMap<>();
  private final Map<String, Operand.Vector> branchTables = new HashMap<>();
  private int scopesOpened;

  BodyParser(Tokens in) {
    this.in = in;
  }

  Body body() {
    do {
      statement();
    } while (!scopes.isEmpty());
    for (int i = 0; i < instructions.size(); i++) {
      instructions.set(i, withTable(instructions.get(i)));
    }
    return new Body(variables, instructions, labels);
  }

  private void statement() {
    String word = in.peek();
    if (in.accept("{")) {
      scopes.push(new Scope(scopesOpened++, new HashMap<>(), new HashMap<>(), new ArrayList<>()));
    } else if (in.accept("}")) {
      scopes.pop();
    } else if (word.startsWith(".")) {
      directive(word);
    } else if (in.peekSecond().equals(":")) {
      labels.put(in.take(), instructions.size());
      in.expect(":");
      if (in.accept(".branchtargets")) {
        branchTables.put(word, new Operand.Vector(operands()));
      }
    } else if (!in.accept(";")) {
      instructions.add(instruction());
    }
  }

  private void directive(String word) {
    switch (word) {
      case ".reg" -> registers();
      case ".shared", ".local", ".param" -> {
        Variable v = PtxParser.variable(in);
        scopes.peek().own.add(v.name());
        // Arguments of a call live as long as local variables do, and each thread has its own.
        String space = v.space().equals("param") ? "local" : v.space();
        variables.add(
            new Variable(
                scopes.peek().unique(v.name()), space, v.bytes(), v.alignment(), v.initial()));
      }
      case ".pragma" -> in.skipBehind(";");
      case ".loc" -> {
        in.take();
        for (int i = 0; i < 3; i++) {
          in.number();
        }
      }
      default -> throw new PtxException(in.line(), "'%s' is not supported here".formatted(word));
    }
  }

  /**
   * Declares registers: {@code .reg .b32 %r<5>;} declares %r0 to %r4, {@code .reg .pred p, q;} just
   * those.
   */
  private void registers() {
    in.expect(".reg");
    String type = in.take().substring(1);
    do {
      String name = in.take();
      scopes.peek().registers.put(name, type);
      if (in.accept("<")) {
        scopes.peek().families.put(name, in.number());
        in.expect(">");
      }
    } while (in.accept(","));
    in.expect(";");
  }

  private Instruction instruction() {
    int line = in.line();
    Operand guard = null;
    if (in.accept("@")) {
      guard = operand();
    }
    var opcode = List.of(in.take().split("\\."));
    return new Instruction(line, guard, opcode, operands());
  }

  private List<Operand> operands() {
    var found = new ArrayList<Operand>();
    while (!in.accept(";")) {
      found.add(operand());
      in.accept(",");
    }
    return found;
  }

  private Operand operand() {
    int line = in.line();
    if (in.accept("!")) {
      return new Operand.Not(operand());
    }
    if (in.accept("[")) {
      return address();
    }
    if (in.accept("{")) {
      return new Operand.Vector(until("}"));
    }
    if (in.accept("(")) {
      return new Operand.Vector(until(")"));
    }
    if (in.accept("-")) {
      return new Operand.Immediate(-PtxParser.immediate(line, in.take()).bits(), false);
    }
    Operand simple = named(line, in.take());
    return in.accept("|") ? new Operand.Pair(simple, operand()) : simple;
  }

  private List<Operand> until(String end) {
    var elements = new ArrayList<Operand>();
    while (!in.accept(end)) {
      elements.add(operand());
      in.accept(",");
    }
    return elements;
  }

  private Operand address() {
    Operand base = operand();
    long offset = 0;
    if (in.accept("+")) {
      offset = ((Operand.Immediate) operand()).bits();
    }
    in.expect("]");
    return new Operand.Address(base, offset);
  }

  private Operand named(int line, String word) {
    if (word.equals("_")) {
      return new Operand.Sink();
    }
    int digits = word.length();
    while (digits > 0 && Character.isDigit(word.charAt(digits - 1))) {
      digits--;
    }
    for (Scope scope : scopes) {
      if (scope.registers.containsKey(word) && !scope.families.containsKey(word)) {
        return new Operand.Register(scope.unique(word), scope.registers.get(word));
      }
      if (scope.own.contains(word)) {
        return new Operand.Symbol(scope.unique(word));
      }
      String family = word.substring(0, digits);
      Integer count = scope.families.get(family);
      if (count != null && digits < word.length() && numberFrom(word, digits) < count) {
        return new Operand.Register(scope.unique(word), scope.registers.get(family));
      }
    }
    if (Character.isDigit(word.charAt(0))) {
      return PtxParser.immediate(line, word);
    }
    if (word.equals("WARP_SZ")) {
      return new Operand.Immediate(32, false);
    }
    return word.startsWith("%") ? new Operand.Special(word) : new Operand.Symbol(word);
  }

  private static long numberFrom(String word, int digits) {
    return word.length() - digits > 9
        ? Long.MAX_VALUE
        : Long.parseLong(word, digits, word.length(), 10);
  }

  /** Returns an indexed branch with the labels of its table in place of the table's name. */
  private Instruction withTable(Instruction i) {
    if (!i.base().equals("brx")) {
      return i;
    }
    Operand.Vector table = branchTables.get(i.operands().get(1).toString());
    return new Instruction(i.line(), i.guard(), i.opcode(), List.of(i.operands().get(0), table));
  }
}
