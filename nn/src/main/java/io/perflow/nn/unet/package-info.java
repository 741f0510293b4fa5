/**
 * U-Nets: that of the flow with its configuration, and those it is compared with (classic, DDPM++,
 * and one for sequences of images).
 */
package io.perflow.nn.unet;
