/**
 * Files and their formats: NumPy's npy and npz, safetensors, JSON, protocol buffers, and atomic
 * writing.
 *
 * <p>Readers do not trust files: they check every length, offset, type and shape against the size
 * of the file before they allocate memory. Numbers stream in chunks, so that an array costs little
 * more than its own memory. What the numbers mean (checkpoints, data sets) belongs elsewhere.
 */
package io.perflow.tensor.io;
