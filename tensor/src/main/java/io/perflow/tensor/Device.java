package io.perflow.tensor;

import io.perflow.tensor.backend.Backend;
import io.perflow.tensor.cpu.Cpu;

/**
 * Where tensors live and are computed.
 *
 * <p>{@link #cpu} is the fast CPU implementation: vectors where the JVM offers them, else scalar
 * code. {@link #reference} is the scalar implementation that defines every result; both use heap
 * memory.
 */
public final class Device {
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
