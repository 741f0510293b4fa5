/**
 * Networks between functions on a grid that work in Fourier space: FNO, its conditional form and
 * F-FNO. General layers are in {@code io.perflow.nn}.
 */
package io.perflow.nn.operator;
