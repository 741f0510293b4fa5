/**
 * Networks as ONNX files, for other runtimes. A network is run, its operations are noted, and each
 * is written as the nodes that compute the same; layers need to know nothing of it. Data of other
 * tools belong to {@code io.perflow.interop}.
 */
package io.perflow.nn.onnx;
