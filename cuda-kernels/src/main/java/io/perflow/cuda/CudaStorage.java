package io.perflow.cuda;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.Storage;
import java.lang.ref.Cleaner;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * A storage in device memory. A storage filled with a single number takes no memory until a kernel
 * asks for its address: most are constants like the 2 of {@code x.mul(2)}, which kernels take by
 * value.
 *
 * <p>The memory goes back to the pool when the last reference is dropped, or, outside any scope,
 * when the collector finds the storage unreachable.
 */
final class CudaStorage extends Storage {
  private final Gpu gpu;
  private final DataType type;
  private final int size;
  private Double constant;
  private long address;
  private Cleaner.Cleanable memory; // null until it is needed

  // The data that kernels derived from the contents (packed filters), which are valid until the
  // contents change.
  private Map<Object, Tensor> derived;

  private CudaStorage(Gpu gpu, DataType type, int size, Double constant) {
    this.gpu = gpu;
    this.type = type;
    this.size = size;
    this.constant = constant;
  }

  /** Returns new memory with undefined contents. */
  static CudaStorage allocate(Gpu gpu, DataType type, int size) {
    CudaStorage storage = new CudaStorage(gpu, type, size, null);
    storage.take();
    return storage;
  }

  /** Returns a number of elements with the same value. */
  static CudaStorage constant(Gpu gpu, DataType type, int size, double value) {
    return new CudaStorage(gpu, type, size, value);
  }

  static CudaStorage of(Tensor tensor) {
    return (CudaStorage) tensor.storage();
  }

  private void take() {
    MemoryPool.Block block = gpu.take((long) size * type.bytes());
    address = block.address();
    memory = gpu.giveAfter(this, block);
  }

  /** Returns where the memory begins on the device. */
  synchronized long address() {
    requireLive();
    if (memory == null) {
      take();
      gpu.fill(address, type, size, constant);
    }
    return address;
  }

  /** Returns the number that every element has, or null when they may differ. */
  synchronized Double constant() {
    requireLive();
    return constant;
  }

  /**
   * Returns data derived from the contents, which are computed again only when these have changed.
   */
  synchronized Tensor derived(Object key, Supplier<Tensor> make) {
    requireLive();
    if (derived == null) {
      derived = new HashMap<>();
    }
    Tensor tensor = derived.get(key);
    if (tensor == null) {
      tensor = make.get();
      derived.put(key, tensor);
    }
    return tensor;
  }

  @Override
  public synchronized void changed() {
    super.changed();
    address(); // a constant must get its memory before it ceases to be one
    constant = null;
    forgetDerived();
  }

  private void forgetDerived() {
    if (derived != null) {
      derived.values().forEach(tensor -> tensor.storage().release());
      derived = null;
    }
  }

  @Override
  public Device device() {
    return gpu.device();
  }

  @Override
  public DataType type() {
    return type;
  }

  @Override
  protected synchronized void free() {
    forgetDerived();
    if (memory != null) {
      memory.clean();
      memory = null;
    }
  }
}
