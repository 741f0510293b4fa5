/**
 * Files: arrays in NumPy's npy and npz formats and in safetensors, JSON, protocol buffers, and
 * atomic writing.
 *
 * <p>A file that is read counts as hostile: every length, offset, type and shape is checked against
 * the bytes that are there before memory is taken. Numbers stream in chunks, so that an array costs
 * little more than its own memory. What the numbers mean (checkpoints, data sets) belongs
 * elsewhere.
 */
package io.perflow.tensor.io;
