/**
 * The CUDA driver API as one interface without logic, its adapter to JCuda, and the probe that says
 * why there is no device; the only package that knows JCuda. What to launch and where memory comes
 * from is decided above, in {@code io.perflow.cuda}.
 */
package io.perflow.cuda.driver;
