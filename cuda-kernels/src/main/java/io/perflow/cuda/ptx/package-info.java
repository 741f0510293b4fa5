/**
 * PTX as text: the parser and what it yields, kernels with their parameters and instructions. Used
 * to check launches and to run kernels without a device; nothing here executes anything.
 */
package io.perflow.cuda.ptx;
