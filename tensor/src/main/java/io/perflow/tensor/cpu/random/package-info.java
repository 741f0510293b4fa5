/**
 * Random numbers by counting: a number depends on the key and its position alone, and not on the
 * device or the number of threads.
 */
package io.perflow.tensor.cpu.random;
