/**
 * Fourier, cosine and sine transforms of any length. Spectra are planar: all real parts, then all
 * imaginary parts.
 */
package io.perflow.tensor.cpu.fft;
