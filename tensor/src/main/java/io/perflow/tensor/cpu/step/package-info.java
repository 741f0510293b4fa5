/** Steps of a sampler that keep given values or means, fused into one pass. */
package io.perflow.tensor.cpu.step;
