/**
 * One JMH class per family of operations, and programs that compare with other libraries; results
 * worth keeping are in {@code results/}.
 */
package io.perflow.benchmarks;
