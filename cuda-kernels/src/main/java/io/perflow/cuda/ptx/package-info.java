/**
 * PTX as text: its words, its declarations, and the signatures of kernels, against which launches
 * are checked. What kernels do is read by the driver, and by the parser of the emulated device.
 */
package io.perflow.cuda.ptx;
