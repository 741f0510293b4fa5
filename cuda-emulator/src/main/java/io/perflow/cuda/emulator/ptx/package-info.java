/**
 * Parser of PTX and what it yields: kernels with their parameters, variables and instructions.
 * Nothing here executes anything.
 */
package io.perflow.cuda.emulator.ptx;
