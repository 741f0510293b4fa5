package io.perflow.cuda.emulator;

import java.lang.reflect.Array;

/** The Java type that holds the value of a register for one thread. */
enum Kind {
  INT(int.class, "b32"),
  LONG(long.class, "b64"),
  FLOAT(float.class, "f32"),
  DOUBLE(double.class, "f64"),
  PREDICATE(boolean.class, "pred");

  private final Class<?> element;
  final String type;

  Kind(Class<?> element, String type) {
    this.element = element;
    this.type = type;
  }

  /**
   * Returns the kind of a PTX type; 8 and 16 bits are kept in an int, and so are the bits of a
   * half.
   */
  static Kind ofType(String type) {
    return switch (type) {
      case "pred" -> PREDICATE;
      case "f32" -> FLOAT;
      case "f64" -> DOUBLE;
      case "b64", "s64", "u64" -> LONG;
      case "b8", "s8", "u8", "b16", "s16", "u16", "f16", "b32", "s32", "u32" -> INT;
      default -> throw new IllegalArgumentException("type " + type + " is not supported");
    };
  }

  /** Returns the kind of a primitive type. */
  static Kind of(Class<?> primitive) {
    for (Kind kind : values()) {
      if (kind.element == primitive) {
        return kind;
      }
    }
    throw new IllegalArgumentException(primitive + " holds no register");
  }

  /** Returns an array for one register of this number of threads. */
  Object array(int threads) {
    return Array.newInstance(element, threads);
  }
}
