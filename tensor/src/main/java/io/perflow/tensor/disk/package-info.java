/**
 * The calls that change files, in one place. Modules of the project write through here; users have
 * {@link io.perflow.tensor.io.AtomicFile}.
 */
package io.perflow.tensor.disk;
