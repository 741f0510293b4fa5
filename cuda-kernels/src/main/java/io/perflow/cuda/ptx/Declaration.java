package io.perflow.cuda.ptx;

import io.perflow.cuda.driver.Param;
import java.util.ArrayList;
import java.util.List;

/**
 * The declaration of a parameter or a variable in PTX, after its state space: type without the dot,
 * size of an element and of the whole, and alignment, in bytes. An array without an extent has the
 * size -1.
 */
public record Declaration(String name, String type, int elementBytes, int bytes, int alignment) {
  /** Reads alignment, type, name and extents. */
  public static Declaration read(Tokens in) {
    int alignment = 0;
    String type = "";
    while (in.peek().startsWith(".")) {
      String word = in.take();
      switch (word) {
        case ".align" -> alignment = in.number();
        // Hints about the target of a pointer parameter carry their own alignment.
        case ".ptr", ".global", ".shared", ".const", ".local" -> {}
        default -> type = word.substring(1);
      }
    }
    int element = bytesOf(in.line(), type);
    String name = in.take();
    int bytes = element;
    while (in.accept("[")) {
      bytes = in.peek().equals("]") ? -1 : bytes * in.number();
      in.expect("]");
    }
    return new Declaration(name, type, element, bytes, alignment == 0 ? element : alignment);
  }

  /** Reads the parameter list of a kernel or function, which may be left out. */
  public static List<Param> params(Tokens in) {
    List<Param> params = new ArrayList<>();
    int offset = 0;
    if (in.accept("(")) {
      while (!in.accept(")")) {
        in.expect(".param");
        Declaration d = read(in);
        offset = (offset + d.alignment - 1) & -d.alignment; // up to a multiple of a power of two
        params.add(new Param(d.name, d.type, d.bytes, d.alignment, offset));
        offset += d.bytes;
        in.accept(",");
      }
    }
    return params;
  }

  private static int bytesOf(int line, String type) {
    return switch (type) {
      case "b8", "s8", "u8", "pred" -> 1;
      case "b16", "s16", "u16", "f16" -> 2;
      case "b32", "s32", "u32", "f32" -> 4;
      case "b64", "s64", "u64", "f64" -> 8;
      default -> throw new PtxException(line, "type '%s' is not supported".formatted(type));
    };
  }
}
