package io.perflow.tensor.cpu;

import io.perflow.tensor.Device;
import io.perflow.tensor.backend.Backend;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The CPU's devices, chosen once: with vectors where the JVM offers them, otherwise with scalar
 * code.
 */
public final class Cpu {
  private static final System.Logger LOG = System.getLogger("io.perflow.tensor");
  private static final Device REFERENCE = make("reference", CpuBackend::scalar);
  private static final Device BEST = choose();

  private Cpu() {}

  /** Returns the CPU, as fast as this JVM allows. */
  public static Device device() {
    return BEST;
  }

  /** Returns the CPU by scalar code, which defines every result. */
  public static Device referenceDevice() {
    return REFERENCE;
  }

  private static Device choose() {
    if (ModuleLayer.boot().findModule("jdk.incubator.vector").isEmpty()) {
      LOG.log(
          System.Logger.Level.WARNING,
          "running on slow scalar code: start Java with --add-modules jdk.incubator.vector");
      return make("cpu", CpuBackend::scalar);
    }
    return make("cpu", CpuBackend::vectors);
  }

  // A device and the memory of its backend refer to each other, so the memory looks its device up.
  private static Device make(String name, Function<Supplier<Device>, Backend> wiring) {
    AtomicReference<Device> slot = new AtomicReference<>();
    slot.set(new Device(name, wiring.apply(slot::get)));
    return slot.get();
  }
}
