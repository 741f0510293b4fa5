/**
 * Solvers that compute the data of the four benchmarks and of a heated plate, in double precision.
 *
 * <p>A solver knows its equation, its discretisation and the distribution of its inputs; files,
 * threads and normalisation belong elsewhere.
 */
package io.perflow.physics.solver;
