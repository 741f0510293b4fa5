/**
 * The CUDA driver API as one interface without logic, its adapter to JCuda, and the probe that says
 * why there is no device. It is the only package that uses JCuda. The package {@code
 * io.perflow.cuda} decides what to launch and where memory comes from.
 */
package io.perflow.cuda.driver;
