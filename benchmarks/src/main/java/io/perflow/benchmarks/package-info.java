/** One JMH class per family of operations; results worth keeping are in {@code results/}. */
package io.perflow.benchmarks;
