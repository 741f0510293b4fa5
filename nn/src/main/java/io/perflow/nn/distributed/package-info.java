/**
 * Work on several processes at once: what ranks tell each other ({@link
 * io.perflow.nn.distributed.Collective}), gradients that are summed while the reverse pass goes on,
 * and engines that start ranks or farm tasks out. Engines on clusters are modules of their own.
 */
package io.perflow.nn.distributed;
