/**
 * Export of networks to ONNX files, for other runtimes. A network is run, its operations are
 * recorded, and each is written as the nodes that compute the same; layers contain no code for it.
 * Data of other tools belong to {@code io.perflow.interop}.
 */
package io.perflow.nn.onnx;
