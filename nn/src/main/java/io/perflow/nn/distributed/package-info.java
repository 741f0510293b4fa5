/**
 * Work on several processes at once: messages between ranks ({@link
 * io.perflow.nn.distributed.Collective}), gradients that are summed while the reverse pass goes on,
 * and engines that start ranks or distribute tasks. Engines on clusters are modules of their own.
 */
package io.perflow.nn.distributed;
