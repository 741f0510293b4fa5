package io.perflow.cuda;

import io.perflow.fixtures.OpCase;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Backend;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Which kernels an operation calls, and whether vectors compute them. Both are read off the program
 * itself: the calls from a run of the operation, the types from the byte code of the kernels, which
 * pass on to the scalar kernel that they override what they do not compute.
 */
final class VectorKernels {
  private VectorKernels() {}

  /** A kernel as one device implements it. */
  record Kernel(Class<?> family, String name) {
    /** Whether it computes tensors of a type itself and does not leave them to scalar code. */
    boolean computes(DataType type) {
      boolean own =
          family.getSimpleName().startsWith("Simd")
              && Arrays.stream(family.getDeclaredMethods()).anyMatch(m -> m.getName().equals(name));
      return own && (type == DataType.F32 || !passesOn());
    }

    private boolean passesOn() {
      try (InputStream in = family.getResourceAsStream(family.getSimpleName() + ".class")) {
        return ClassFile.of().parse(in.readAllBytes()).methods().stream()
            .filter(m -> m.methodName().equalsString(name))
            .anyMatch(this::callsItsParent);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private boolean callsItsParent(MethodModel method) {
      return method
          .code()
          .orElseThrow()
          .elementStream()
          .anyMatch(
              e ->
                  e instanceof InvokeInstruction call
                      && call.opcode() == Opcode.INVOKESPECIAL
                      && call.name().equalsString(name));
    }
  }

  /** The kernels that an operation calls on the CPU for tensors of a type; none for a view. */
  static Set<Kernel> of(OpCase test, DataType type) {
    Set<Kernel> called = new HashSet<>();
    Backend real = Device.cpu().backend();
    Backend watched =
        proxy(Backend.class, (family, args) -> watch(family.invoke(real, args), family, called));
    Tensor[] inputs =
        Arrays.stream(test.inputs()).map(x -> x.to(type).to(Device.cpu())).toArray(Tensor[]::new);
    test.op().forward(watched, inputs);
    return called;
  }

  // A family whose calls are noted. A kernel that gives nothing back was not there, and one that
  // takes no tensor only makes a constant.
  private static Object watch(Object family, Method accessor, Set<Kernel> called) {
    if (!accessor.getReturnType().isInterface()) {
      return family;
    }
    return proxy(
        accessor.getReturnType(),
        (kernel, args) -> {
          Object result = kernel.invoke(family, args);
          if (!Optional.empty().equals(result) && readsTensors(kernel)) {
            called.add(new Kernel(family.getClass(), kernel.getName()));
          }
          return result;
        });
  }

  private static boolean readsTensors(Method kernel) {
    List<Class<?>> types = List.of(kernel.getParameterTypes());
    return types.contains(Tensor.class) || types.contains(Tensor[].class);
  }

  @FunctionalInterface
  private interface Call {
    Object of(Method method, Object[] args) throws ReflectiveOperationException;
  }

  private static <T> T proxy(Class<T> type, Call call) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, args) -> {
              try {
                return call.of(method, args);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }
}
