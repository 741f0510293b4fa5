/**
 * The memory of the CPU: storages, recycled arrays, new tensors for results, and copies between
 * layouts. Every other family builds on this one, so it knows none of them.
 */
package io.perflow.tensor.cpu.memory;
