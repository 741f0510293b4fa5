package io.perflow.cuda.ptx;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads the statements of a module; what stands between braces is left to {@link BodyParser}. */
final class PtxParser {
  /** A function with a body, called from kernels; arguments and results are variables. */
  record Function(List<Param> results, List<Param> params, BodyParser.Body body) {}

  private static final int MAX_THREADS_OF_A_BLOCK = 1024;

  private final Tokens in;
  private final List<Variable> variables = new ArrayList<>();
  private final Map<String, PtxKernel> kernels = new LinkedHashMap<>();
  private final Map<String, Function> functions = new HashMap<>();
  private String version = "";
  private String target = "";

  PtxParser(String text) {
    in = new Tokens(text);
  }

  PtxModule module() {
    while (!in.atEnd()) {
      statement();
    }
    if (version.isEmpty() || target.isEmpty()) {
      throw new PtxException(in.line(), "no .version or no .target: not a PTX file");
    }
    // A function may be defined behind the kernels that call it, so calls are expanded at the end.
    kernels.replaceAll((name, kernel) -> new Inliner(functions).expand(kernel));
    return new PtxModule(version, target, variables, kernels);
  }

  private void statement() {
    switch (in.peek()) {
      case ".version" -> {
        in.take();
        version = in.take();
      }
      case ".target" -> {
        in.take();
        target = in.take();
        while (in.accept(",")) {
          in.take();
        }
      }
      case ".address_size" -> {
        in.take();
        if (in.number() != 64) {
          throw new PtxException(in.line(), "only 64-bit addresses are supported");
        }
      }
      case ".visible", ".weak", ".extern" -> in.take();
      case ".entry" -> entry();
      case ".func" -> function();
      case ".global", ".const", ".shared" -> variables.add(variable(in));
      case ".file" -> {
        in.take();
        in.number();
        in.take();
      }
      default ->
          throw new PtxException(in.line(), "'%s' is not supported here".formatted(in.peek()));
    }
  }

  private void entry() {
    in.expect(".entry");
    String name = in.take();
    List<Param> params = in.peek().equals("(") ? parameters() : List.of();
    int maxThreads = MAX_THREADS_OF_A_BLOCK;
    while (!in.peek().equals("{")) {
      String directive = in.take();
      int product = in.number();
      while (in.accept(",")) {
        product *= in.number();
      }
      if (directive.equals(".maxntid") || directive.equals(".reqntid")) {
        maxThreads = product;
      }
    }
    BodyParser.Body body = new BodyParser(in).body();
    kernels.put(
        name,
        new PtxKernel(
            name, params, body.variables(), body.instructions(), body.labels(), maxThreads));
  }

  private void function() {
    in.expect(".func");
    List<Param> results = in.peek().equals("(") ? parameters() : List.of();
    String name = in.take();
    List<Param> params = in.peek().equals("(") ? parameters() : List.of();
    while (in.peek().startsWith(".")) {
      in.take();
    }
    if (!in.accept(";")) {
      functions.put(name, new Function(results, params, new BodyParser(in).body()));
    }
  }

  private List<Param> parameters() {
    var params = new ArrayList<Param>();
    int offset = 0;
    in.expect("(");
    while (!in.accept(")")) {
      in.expect(".param");
      Declaration d = declaration(in);
      offset = roundUp(offset, d.alignment);
      params.add(new Param(d.name, d.type, d.bytes, d.alignment, offset));
      offset += d.bytes;
      in.accept(",");
    }
    return params;
  }

  /** Rounds up to a multiple of a power of two. */
  static int roundUp(int value, int alignment) {
    return (value + alignment - 1) & -alignment;
  }

  private record Declaration(String name, String type, int bytes, int alignment) {}

  /** What follows the state space: alignment, type, name and extents. */
  private static Declaration declaration(Tokens in) {
    int alignment = 0;
    String type = "";
    while (in.peek().startsWith(".")) {
      String word = in.take();
      switch (word) {
        case ".align" -> alignment = in.number();
        // Hints on what a pointer parameter points to carry an alignment of their own.
        case ".ptr", ".global", ".shared", ".const", ".local" -> {}
        default -> type = word.substring(1);
      }
    }
    int element = bytesOf(in.line(), type);
    String name = in.take();
    int count = 1;
    while (in.accept("[")) {
      count = in.peek().equals("]") ? -1 : count * in.number();
      in.expect("]");
    }
    return new Declaration(name, type, element * count, alignment == 0 ? element : alignment);
  }

  /** A variable from its state space up to the semicolon. */
  static Variable variable(Tokens in) {
    String space = in.take().substring(1);
    Declaration d = declaration(in);
    byte[] initial = new byte[0];
    if (in.accept("=")) {
      initial = initializer(in, d.bytes, bytesOf(in.line(), d.type));
    }
    in.expect(";");
    return new Variable(d.name, space, d.bytes < 0 ? -1 : d.bytes, d.alignment, initial);
  }

  private static byte[] initializer(Tokens in, int bytes, int element) {
    var out = new ByteArrayOutputStream();
    boolean list = in.accept("{");
    do {
      boolean negative = in.accept("-");
      Operand.Immediate value = immediate(in.line(), in.take());
      long bits = negative ? -value.bits() : value.bits();
      for (int i = 0; i < element; i++) {
        out.write((int) (bits >>> (8 * i)));
      }
    } while (in.accept(","));
    if (list) {
      in.expect("}");
    }
    return Arrays.copyOf(out.toByteArray(), bytes);
  }

  /** A literal: {@code 42}, {@code 0x2a}, {@code 42U}, {@code 0f3F800000}, {@code 0d…}. */
  static Operand.Immediate immediate(int line, String word) {
    try {
      if (word.length() == 10 && word.regionMatches(true, 0, "0f", 0, 2)) {
        return new Operand.Immediate(Long.parseLong(word.substring(2), 16), true);
      }
      if (word.length() == 18 && word.regionMatches(true, 0, "0d", 0, 2)) {
        return new Operand.Immediate(Long.parseUnsignedLong(word.substring(2), 16), true);
      }
      String digits = word.endsWith("U") ? word.substring(0, word.length() - 1) : word;
      return digits.startsWith("0x")
          ? new Operand.Immediate(Long.parseUnsignedLong(digits.substring(2), 16), false)
          : new Operand.Immediate(Long.parseUnsignedLong(digits), false);
    } catch (NumberFormatException e) {
      throw new PtxException(line, "'%s' is not a constant".formatted(word));
    }
  }

  /** The size of a type in bytes. */
  static int bytesOf(int line, String type) {
    return switch (type) {
      case "b8", "s8", "u8", "pred" -> 1;
      case "b16", "s16", "u16", "f16" -> 2;
      case "b32", "s32", "u32", "f32" -> 4;
      case "b64", "s64", "u64", "f64" -> 8;
      default -> throw new PtxException(line, "type '%s' is not supported".formatted(type));
    };
  }
}
