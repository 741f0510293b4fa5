package io.perflow.tensor.cpu;

import io.perflow.tensor.Device;
import io.perflow.tensor.backend.Backend;

/** The CPU's devices, chosen once: vectors where the JVM offers them, else scalar code. */
public final class Cpu {
  private static final System.Logger LOG = System.getLogger("io.perflow.tensor");
  private static final Device REFERENCE = make("reference", null);
  private static final Device BEST = choose();

  private Cpu() {}

  /** The CPU, as fast as this JVM allows. */
  public static Device device() {
    return BEST;
  }

  /** The CPU by scalar code, which defines every result. */
  public static Device referenceDevice() {
    return REFERENCE;
  }

  private static Device choose() {
    if (ModuleLayer.boot().findModule("jdk.incubator.vector").isEmpty()) {
      LOG.log(
          System.Logger.Level.WARNING,
          "running on slow scalar code: start Java with --add-modules jdk.incubator.vector");
      return make("cpu", null);
    }
    return make("cpu", SimdBackend::new);
  }

  private static Device make(String name, java.util.function.Function<DeviceSlot, Backend> simd) {
    DeviceSlot slot = new DeviceSlot();
    Backend backend = simd == null ? new ScalarBackend(slot) : simd.apply(slot);
    slot.device = new Device(name, backend);
    return slot.device;
  }

  /** Device and backend name each other; this lets the backend be built first. */
  static final class DeviceSlot {
    private Device device;

    Device device() {
      return device;
    }
  }
}
