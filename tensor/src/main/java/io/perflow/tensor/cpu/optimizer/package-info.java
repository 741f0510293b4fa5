/** Steps of optimizers, which change parameters in place in one pass over memory. */
package io.perflow.tensor.cpu.optimizer;
