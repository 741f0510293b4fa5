package io.perflow.tensor;

import io.perflow.tensor.backend.Backend;
import io.perflow.tensor.backend.DeviceEmulator;
import io.perflow.tensor.backend.DeviceProvider;
import io.perflow.tensor.cpu.Cpu;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Stream;

/**
 * A device that stores tensors and computes with them.
 *
 * <p>{@link #cpu} is the fast CPU implementation: it uses vectors where the JVM offers them,
 * otherwise scalar code. {@link #reference} is the scalar implementation that defines every result;
 * both use heap memory. {@link #cuda} is an NVIDIA GPU, if its artifact is present; {@link #best}
 * is a GPU if there is one, otherwise the CPU. {@link #emulated} runs the kernels of the GPU
 * without a GPU; it has its own artifact.
 */
public final class Device {
  private static final System.Logger LOG = System.getLogger("io.perflow.tensor");

  // A holder class, so that devices are looked for only when a program asks for one.
  private static final class Providers {
    static final List<DeviceProvider> FOUND = services(DeviceProvider.class).toList();
  }

  private final String name;
  private final Backend backend;

  /** Creates a device of a backend; users get their devices from the factories below. */
  public Device(String name, Backend backend) {
    this.name = name;
    this.backend = backend;
  }

  /** Returns the CPU, as fast as this JVM allows. */
  public static Device cpu() {
    return Cpu.device();
  }

  /** Returns the CPU with plain scalar code, which is slow and easy to verify. */
  public static Device reference() {
    return Cpu.referenceDevice();
  }

  /**
   * Returns NVIDIA GPU number {@code index}.
   *
   * @throws IllegalStateException when there is none, with the reason and the cure in one line
   */
  public static Device cuda(int index) {
    DeviceProvider provider =
        Providers.FOUND.stream()
            .filter(p -> p.kind().equals("cuda"))
            .findFirst()
            .orElseThrow(() -> missing("cuda:" + index, "perflow-cuda-kernels"));
    if (index < 0 || index >= provider.count()) {
      throw new IllegalStateException(
          "no device cuda:%d: %s"
              .formatted(
                  index,
                  provider.count() == 0
                      ? provider.reason()
                      : "this machine has " + provider.count()));
    }
    return provider.device(index);
  }

  /**
   * Returns a new device in plain Java that runs the kernels of the GPU, far more slowly and with
   * stricter checks than hardware, to test on any machine what is meant for {@link #cuda}.
   *
   * @throws IllegalStateException when the artifact with the emulator is missing
   */
  public static Device emulated() {
    return services(DeviceEmulator.class)
        .findFirst()
        .orElseThrow(() -> missing("emulated", "perflow-cuda-emulator"))
        .open();
  }

  private static IllegalStateException missing(String device, String artifact) {
    return new IllegalStateException(
        "no device %s: add the artifact %s to the program".formatted(device, artifact));
  }

  private static <S> Stream<S> services(Class<S> type) {
    return ServiceLoader.load(type, type.getClassLoader()).stream()
        .map(ServiceLoader.Provider::get);
  }

  /**
   * Returns a GPU if there is one, otherwise the CPU; the log at level DEBUG states why there is
   * none.
   */
  public static Device best() {
    for (DeviceProvider provider : Providers.FOUND) {
      if (provider.count() > 0) {
        return provider.device(0);
      }
      LOG.log(System.Logger.Level.DEBUG, "no {0} device: {1}", provider.kind(), provider.reason());
    }
    return cpu();
  }

  /** Returns the kernels of this device. */
  public Backend backend() {
    return backend;
  }

  /** Returns a description of the device in one line, for reports. */
  public String describe() {
    return name + ": " + backend.describe();
  }

  /**
   * Returns what decides how results are rounded, such as {@code vectors of 512 bits}. Two machines
   * that return the same text compute the same bits, for any number of threads; otherwise results
   * differ by rounding, relatively about 1e-6. {@code -Dperflow.vectorBits=256} makes machines
   * agree whose vectors have that width or more.
   */
  public String arithmetic() {
    return backend.arithmetic();
  }

  @Override
  public String toString() {
    return name;
  }
}
