/**
 * PTX as text: its words, its declarations, and the signatures of kernels, against which launches
 * are checked. The instructions of kernels are read by the driver and by the emulated device.
 */
package io.perflow.cuda.ptx;
