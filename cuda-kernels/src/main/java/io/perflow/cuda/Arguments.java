package io.perflow.cuda;

import io.perflow.cuda.driver.KernelArguments;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;

/**
 * The arguments of one launch, given as tensors and numbers. They are kept reachable until the
 * launch is queued: an address alone would not keep the collector from recycling their memory.
 */
final class Arguments {
  private final KernelArguments list;
  private final List<Tensor> tensors = new ArrayList<>();
  private long operandBytes;

  Arguments(KernelArguments list) {
    this.list = list;
  }

  /** Adds a tensor's first element, or a null pointer for null. */
  Arguments tensor(Tensor tensor) {
    return tensor == null ? at(null, 0) : at(tensor, tensor.layout().offset());
  }

  /** Adds element number {@code offset} of a tensor's storage, or a null pointer for null. */
  Arguments at(Tensor tensor, int offset) {
    list.pointer(tensor == null ? 0 : addressOf(tensor, offset));
    return this;
  }

  /** Returns the address of an element, kept as an argument, for pointers within structures. */
  long addressOf(Tensor tensor, int offset) {
    tensors.add(tensor);
    operandBytes += (long) tensor.size() * tensor.type().bytes();
    return CudaStorage.of(tensor).address() + (long) offset * tensor.type().bytes();
  }

  /**
   * Adds an address of memory that the caller keeps, such as scratch memory; 0 for a null pointer.
   */
  Arguments address(long address) {
    list.pointer(address);
    return this;
  }

  /** Adds integers, one parameter each. */
  Arguments ints(int... values) {
    for (int value : values) {
      list.s32(value);
    }
    return this;
  }

  /** Adds a 64-bit integer. */
  Arguments bits(long value) {
    list.s64(value);
    return this;
  }

  /** Adds a number of a tensor's type. */
  Arguments number(DataType type, double value) {
    switch (type) {
      case F32 -> list.f32((float) value);
      case F64 -> list.f64(value);
    }
    return this;
  }

  /** Adds a structure. */
  Arguments struct(Struct struct) {
    list.struct(struct.bytes());
    return this;
  }

  /** Adds {@code struct Walk}. */
  Arguments walk(Walk walk) {
    return struct(walk.struct());
  }

  /** Adds {@code struct Divisor}. */
  Arguments divisor(int divisor) {
    return struct(new Struct().divisor(divisor));
  }

  MemorySegment[] segments() {
    return list.segments();
  }

  long operandBytes() {
    return operandBytes;
  }

  void keepReachable() {
    for (Tensor tensor : tensors) {
      Reference.reachabilityFence(tensor.storage());
    }
  }
}
