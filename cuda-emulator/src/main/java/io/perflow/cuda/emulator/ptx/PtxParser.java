package io.perflow.cuda.emulator.ptx;

import io.perflow.cuda.driver.Param;
import io.perflow.cuda.ptx.Declaration;
import io.perflow.cuda.ptx.PtxException;
import io.perflow.cuda.ptx.Tokens;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A parser of the statements of a module; the text between braces is left to {@link BodyParser}.
 */
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
    List<Param> params = Declaration.params(in);
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
    List<Param> results = Declaration.params(in);
    String name = in.take();
    List<Param> params = Declaration.params(in);
    while (in.peek().startsWith(".")) {
      in.take();
    }
    if (!in.accept(";")) {
      functions.put(name, new Function(results, params, new BodyParser(in).body()));
    }
  }

  /** Returns a variable from its state space up to the semicolon. */
  static Variable variable(Tokens in) {
    String space = in.take().substring(1);
    Declaration d = Declaration.read(in);
    byte[] initial = new byte[0];
    if (in.accept("=")) {
      initial = initializer(in, d.bytes(), d.elementBytes());
    }
    in.expect(";");
    return new Variable(d.name(), space, d.bytes(), d.alignment(), initial);
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

  /** Returns a literal: {@code 42}, {@code 0x2a}, {@code 42U}, {@code 0f3F800000}, {@code 0d…}. */
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
}
