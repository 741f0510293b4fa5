package io.perflow.tensor.cpu.elementwise;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;

/**
 * Gives every function its own compiled copy of a loop that is written once.
 *
 * <p>The virtual machine compiles a method for all its callers together. A loop that is handed many
 * functions would call them through a table, with every vector an object on the heap, a hundred
 * times slower than the loop with one function inlined. So the loop's class is defined again, as a
 * hidden class, for each function: the copy finds its function in its class data, holds it in a
 * static final field, and the compiler sees a constant.
 */
final class LoopTemplate {
  private LoopTemplate() {}

  /**
   * A new copy of the class {@code template}, whose constructor takes nothing, around a function.
   */
  static <T> T copy(Class<? extends T> template, Class<T> type, Object function) {
    String name = template.getName().substring(template.getPackageName().length() + 1) + ".class";
    try (InputStream in = template.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("class file " + name + " is not on the module path");
      }
      Class<?> made =
          MethodHandles.lookup()
              .defineHiddenClassWithClassData(in.readAllBytes(), function, true)
              .lookupClass();
      return type.cast(made.getDeclaredConstructor().newInstance());
    } catch (IOException | ReflectiveOperationException e) {
      throw new IllegalStateException("cannot copy the loop " + name, e);
    }
  }

  /** The function that the copy owning {@code lookup} was made for. */
  static <F> F function(MethodHandles.Lookup lookup, Class<F> type) {
    try {
      return MethodHandles.classData(lookup, "_", type);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }
}
