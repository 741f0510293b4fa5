package io.perflow.tensor;

import io.perflow.tensor.backend.Backend;
import io.perflow.tensor.backend.DeviceEmulator;
import io.perflow.tensor.backend.DeviceProvider;
import io.perflow.tensor.cpu.Cpu;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Stream;

/**
 * Where tensors live and are computed.
 *
 * <p>{@link #cpu} is the fast CPU implementation: vectors where the JVM offers them, else scalar
 * code. {@link #reference} is the scalar implementation that defines every result; both use heap
 * memory. {@link #cuda} is an NVIDIA GPU, if the artifact for it is there; {@link #best} is that,
 * or the CPU. {@link #emulated} runs the kernels of the GPU without one; it has an artifact of its
 * own.
 */
public final class Device {
  private static final System.Logger LOG = System.getLogger("io.perflow.tensor");

  // Holder, so that nobody looks for devices who does not ask for one.
  private static final class Providers {
    static final List<DeviceProvider> FOUND = services(DeviceProvider.class).toList();
  }

  private final String name;
  private final Backend backend;

  /** A device of a backend; users take one from the factories below. */
  public Device(String name, Backend backend) {
    this.name = name;
    this.backend = backend;
  }

  /** The CPU, as fast as this JVM allows. */
  public static Device cpu() {
    return Cpu.device();
  }

  /** The CPU by plain scalar code, slow and plainly right. */
  public static Device reference() {
    return Cpu.referenceDevice();
  }

  /**
   * NVIDIA GPU number {@code index}.
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
   * A new device in plain Java that runs the kernels of the GPU, far more slowly and more strictly
   * than hardware would: to try on any machine what is meant for {@link #cuda}.
   *
   * @throws IllegalStateException when the artifact with the emulator is not there, in one line
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

  /** A GPU if there is one, else the CPU; why there is none goes to the log at level DEBUG. */
  public static Device best() {
    for (DeviceProvider provider : Providers.FOUND) {
      if (provider.count() > 0) {
        return provider.device(0);
      }
      LOG.log(System.Logger.Level.DEBUG, "no {0} device: {1}", provider.kind(), provider.reason());
    }
    return cpu();
  }

  /** Computes the kernels. */
  public Backend backend() {
    return backend;
  }

  /** One line on what computes and how, for reports. */
  public String describe() {
    return name + ": " + backend.describe();
  }

  @Override
  public String toString() {
    return name;
  }
}
