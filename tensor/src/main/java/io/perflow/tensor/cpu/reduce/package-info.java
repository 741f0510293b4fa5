/**
 * Sums, extremes and running sums along axes. The order of every sum depends on the sizes alone, so
 * that a result has the same bits for any number of threads.
 */
package io.perflow.tensor.cpu.reduce;
