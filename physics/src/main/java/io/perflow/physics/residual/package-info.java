/**
 * Residuals of the benchmarks' equations, for guidance and for judging reconstructions.
 *
 * <p>Each equation comes in the form that DiffusionPDE (arXiv 2406.17763) publishes in its code,
 * needed to reproduce its numbers, and in a corrected one that vanishes on solutions as the grid is
 * refined. They are soft terms; hard constraints are in {@link io.perflow.physics.constraint}.
 */
package io.perflow.physics.residual;
