package io.perflow.cuda.driver;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * A driver that does everything twice: on the device behind it, and by {@link FiberKernels} in
 * memory of the CPU at the same addresses. After each launch the memory that its arguments point to
 * is compared, and then made equal, so that a difference is that of one kernel alone.
 *
 * <p>It waits after every call, so that both sides see the same memory.
 */
public final class ComparingDriver implements InvocationHandler {
  /** How far two results may be apart that go through different libraries of functions. */
  private static final double CLOSE_FLOATS = 4e-6;

  private static final double CLOSE_DOUBLES = 1e-12;

  /** Words compared, words that differ in any bit, and the largest relative difference. */
  public record Agreement(long words, long different, double largest) {
    Agreement plus(Agreement other) {
      return new Agreement(
          words + other.words, different + other.different, Math.max(largest, other.largest));
    }
  }

  private final CudaDriver device;
  private final FiberKernels fibers;
  private final Map<Long, String> names = new HashMap<>();
  private final TreeMap<Long, MemorySegment> memory = new TreeMap<>();
  private final Map<String, Agreement> agreements = new TreeMap<>();

  private ComparingDriver(CudaDriver device, FiberKernels fibers) {
    this.device = device;
    this.fibers = fibers;
  }

  /** A driver that compares; {@code found} collects what it finds for each kernel. */
  public static CudaDriver of(
      CudaDriver device, FiberKernels fibers, Map<String, Agreement> found) {
    var comparing = new ComparingDriver(device, fibers);
    return (CudaDriver)
        Proxy.newProxyInstance(
            CudaDriver.class.getClassLoader(),
            new Class<?>[] {CudaDriver.class},
            (proxy, method, args) -> {
              synchronized (fibers) { // which may be closed meanwhile
                Object result = comparing.invoke(proxy, method, args);
                found.putAll(comparing.agreements);
                return result;
              }
            });
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] args) throws Throwable {
    Object result;
    try {
      result = method.invoke(device, args);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
    if (fibers.closed()) {
      return result; // what is collected later still gives its memory back
    }
    switch (method.getName()) {
      case "memAlloc" -> allocated((Long) result, (Long) args[0]);
      case "memFree" -> freed((Long) args[0]);
      case "moduleGetFunction" -> names.put((Long) result, (String) args[1]);
      case "memcpyHtoDAsync" -> {
        device.streamSynchronize((Long) args[3]);
        long bytes = (Long) args[2];
        at((Long) args[0], bytes).copyFrom(((MemorySegment) args[1]).asSlice(0, bytes));
      }
      case "memcpyDtoDAsync" -> {
        device.streamSynchronize((Long) args[3]);
        long bytes = (Long) args[2];
        at((Long) args[0], bytes).copyFrom(at((Long) args[1], bytes));
      }
      case "memsetD32Async" -> {
        device.streamSynchronize((Long) args[3]);
        MemorySegment words = at((Long) args[0], 4 * (Long) args[2]);
        for (long i = 0; i < (Long) args[2]; i++) {
          words.setAtIndex(JAVA_INT, i, (Integer) args[1]);
        }
      }
      case "launchKernel" -> launched(args);
      default -> {}
    }
    return result;
  }

  private void allocated(long address, long bytes) {
    MemorySegment twin = fibers.map(address, bytes);
    memory.put(address, twin);
    fetch(address, twin);
  }

  private void freed(long address) {
    fibers.unmap(address, memory.remove(address).byteSize());
  }

  private MemorySegment at(long address, long bytes) {
    var entry = memory.floorEntry(address);
    return entry.getValue().asSlice(address - entry.getKey(), bytes);
  }

  /** Copies memory of the device. */
  private void fetch(long address, MemorySegment to) {
    device.memcpyDtoHAsync(to, address, to.byteSize(), 0);
    device.streamSynchronize(0);
  }

  private void launched(Object[] args) {
    String kernel = names.get((Long) args[0]);
    device.streamSynchronize((Long) args[8]);
    MemorySegment[] arguments = (MemorySegment[]) args[9];
    boolean known = fibers.has(kernel);
    if (known) {
      int[] grid = {(Integer) args[1], (Integer) args[2], (Integer) args[3]};
      int[] block = {(Integer) args[4], (Integer) args[5], (Integer) args[6]};
      fibers.launch(kernel, grid, block, arguments);
    }
    var touched = new TreeMap<Long, MemorySegment>();
    for (MemorySegment argument : arguments) {
      for (long at = 0; at + 8 <= argument.byteSize(); at += 8) {
        var entry = memory.floorEntry(argument.get(JAVA_LONG_UNALIGNED, at));
        boolean inside =
            entry != null
                && argument.get(JAVA_LONG_UNALIGNED, at) - entry.getKey()
                    < entry.getValue().byteSize();
        if (inside) {
          touched.put(entry.getKey(), entry.getValue());
        }
      }
    }
    touched.forEach((address, twin) -> compare(kernel, known, address, twin));
  }

  private void compare(String kernel, boolean known, long address, MemorySegment twin) {
    try (var arena = Arena.ofConfined()) {
      MemorySegment real = arena.allocate(twin.byteSize(), 16);
      fetch(address, real);
      if (known && real.mismatch(twin) >= 0) {
        note(kernel, real, twin);
      } else if (known) {
        agreements.merge(kernel, new Agreement(twin.byteSize() / 4, 0, 0), Agreement::plus);
      }
      MemorySegment.copy(real, JAVA_BYTE, 0, twin, JAVA_BYTE, 0, twin.byteSize());
    }
  }

  private void note(String kernel, MemorySegment real, MemorySegment twin) {
    long words = twin.byteSize() / 4;
    long different = 0;
    double largest = 0;
    for (long i = 0; i < words; i++) {
      if (real.getAtIndex(JAVA_INT, i) != twin.getAtIndex(JAVA_INT, i)) {
        different++;
        double apart =
            relative(real.getAtIndex(JAVA_FLOAT, i), twin.getAtIndex(JAVA_FLOAT, i)) / CLOSE_FLOATS;
        if (i / 2 * 8 + 8 <= twin.byteSize()) {
          double a = real.getAtIndex(JAVA_DOUBLE, i / 2);
          double b = twin.getAtIndex(JAVA_DOUBLE, i / 2);
          apart = Math.min(apart, relative(a, b) / CLOSE_DOUBLES);
        }
        largest = Math.max(largest, apart);
      }
    }
    agreements.merge(kernel, new Agreement(words, different, largest), Agreement::plus);
  }

  /** Of two numbers that are not equal; two NaNs agree, a NaN and a number do not. */
  private static double relative(double a, double b) {
    if (Double.isNaN(a) && Double.isNaN(b)) {
      return 0;
    }
    double apart = Math.abs(a - b) / Math.max(1e-3, Math.max(Math.abs(a), Math.abs(b)));
    return Double.isNaN(apart) ? Double.POSITIVE_INFINITY : apart;
  }
}
