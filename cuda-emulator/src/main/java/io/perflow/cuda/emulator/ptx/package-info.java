/**
 * A parser of PTX and its results: kernels with their parameters, variables and instructions.
 * Nothing here executes anything.
 */
package io.perflow.cuda.emulator.ptx;
