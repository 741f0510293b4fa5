/** Softmax, and attention by tiles that never hold the whole matrix of scores. */
package io.perflow.tensor.cpu.attention;
