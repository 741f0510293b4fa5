/**
 * Functions of single elements, with broadcasting, and the mathematical functions that they are
 * made of. A loop is written once for each number of operands; a function adds only its formula.
 */
package io.perflow.tensor.cpu.elementwise;
