/** The U-Net of the flow: its configuration and the network built from it. */
package io.perflow.nn.unet;
