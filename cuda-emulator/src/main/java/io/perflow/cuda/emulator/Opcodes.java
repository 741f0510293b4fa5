package io.perflow.cuda.emulator;

import io.perflow.cuda.emulator.ptx.Instruction;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * The map from opcodes to the functions that compute them. A function is named after its opcode,
 * with underscores for dots and without the parts that make no difference (rounding to nearest, and
 * the sign of a type where both signs give the same bits), as in {@code add_b32} for {@code
 * add.u32}.
 */
final class Opcodes {
  private static final Map<String, Method> FUNCTIONS = new HashMap<>();

  static {
    for (Class<?> home :
        new Class<?>[] {
          Bits.class, Integers.class, Reals.class, Comparisons.class, Conversions.class
        }) {
      for (Method m : home.getDeclaredMethods()) {
        if (!java.lang.reflect.Modifier.isPrivate(m.getModifiers())) {
          FUNCTIONS.put(m.getName(), m);
        }
      }
    }
  }

  /** Operations whose result does not depend on whether integers are signed. */
  private static final Set<String> SIGNLESS =
      Set.of("add", "sub", "mul_lo", "mad_lo", "selp", "and", "or", "xor", "not", "shl");

  /** Operations on 16 bits that the one on 32 bits computes as well. */
  private static final Set<String> SAME_IN_16_BITS = Set.of("selp", "and", "or", "xor");

  private static final Set<String> ROUNDED = Set.of("add", "sub", "mul", "fma");

  /** Modifiers that instructions here may carry; a word that is none of them is a mistake. */
  private static final Set<String> MODIFIERS =
      Set.of(
          ("pred b8 b16 b32 b64 s8 s16 s32 s64 u8 u16 u32 u64 f16 f32 f64 tf32 v2 v4"
                  + " global shared local const param to nc volatile relaxed acquire release"
                  + " ca cg cs lu cv wb wt cta gpu gl sys acq_rel sc"
                  + " rn rz rm rp rni rzi rmi rpi rna ftz sat approx full NaN lo hi wide cc"
                  + " eq ne lt le gt ge ls hs equ neu ltu leu gtu geu num nan and or xor"
                  + " sync warp uni aligned idx up down bfly any all ballot"
                  + " add min max inc dec exch cas l r wrap clamp shiftamt"
                  + " finite infinite number notanumber"
                  + " async commit_group wait_group wait_all"
                  + " load mma store a b c d row col m16n16k8")
              .split(" "));

  private Opcodes() {}

  /** Returns the first modifier of an opcode that is not known, or an empty string. */
  static String unknownModifier(Instruction i) {
    return i.opcode().stream()
        .skip(1)
        .filter(m -> !MODIFIERS.contains(m) && !m.contains("::"))
        .findFirst()
        .orElse("");
  }

  /** Returns the function of that name, or null. */
  static Method function(String name) {
    return FUNCTIONS.get(name);
  }

  /** Returns the name of the function that computes an instruction other than setp, cvt and mov. */
  static String nameOf(Instruction i) {
    String type = i.type();
    boolean real = type.startsWith("f");
    String base = i.base();
    if (real) {
      return realName(i, base, type);
    }
    if (base.equals("mul") || base.equals("mad")) {
      base += i.has("wide") ? "_wide" : i.has("hi") ? "_hi" : "_lo";
    } else if (base.equals("shf")) {
      base += (i.has("l") ? "_l" : "_r") + (i.has("wrap") ? "_wrap" : "_clamp");
    }
    base += i.has("shiftamt") ? "_shiftamt" : "";
    if (type.equals("pred")) {
      return base + "_pred";
    }
    String bits = type.substring(1);
    if (SAME_IN_16_BITS.contains(base) && bits.equals("16")) {
      bits = "32";
    }
    if (base.equals("shr") && type.startsWith("b")) {
      return base + "_u" + bits;
    }
    return base + "_" + (SIGNLESS.contains(base) ? "b" : type.substring(0, 1)) + bits;
  }

  private static String realName(Instruction i, String base, String type) {
    String name = base.equals("mad") ? "fma" : base;
    if (ROUNDED.contains(name)) {
      for (String mode : new String[] {"rm", "rp", "rz"}) {
        name += i.has(mode) ? "_" + mode : "";
      }
    } else if (name.equals("min") || name.equals("max")) {
      name += i.has("NaN") ? "_NaN" : "";
    } else if (name.equals("testp")) {
      name += "_" + i.opcode().get(1);
    } else if (FUNCTIONS.containsKey(name + "_approx_" + type)) {
      name += "_approx";
    }
    return name + "_" + type;
  }

  /** Returns the name of the comparison of a setp; lo, ls, hi and hs compare without sign. */
  static String comparison(Instruction i) {
    String how = i.opcode().get(1);
    String type = i.type();
    if (type.startsWith("f")) {
      return "setp_" + how + "_" + type;
    }
    String bits = type.substring(1);
    boolean unsigned = type.startsWith("u");
    switch (how) {
      case "eq", "ne" -> {
        return "setp_" + how + "_b" + (bits.equals("16") ? "32" : bits);
      }
      case "lo", "ls", "hi", "hs" -> {
        unsigned = true;
        how = Map.of("lo", "lt", "ls", "le", "hi", "gt", "hs", "ge").get(how);
      }
      default -> {}
    }
    // 16 bits without sign stand in an int with room to spare.
    if (bits.equals("16") && unsigned) {
      return "setp_" + how + "_s32";
    }
    return "setp_" + how + "_" + (unsigned ? "u" : "s") + bits;
  }
}
