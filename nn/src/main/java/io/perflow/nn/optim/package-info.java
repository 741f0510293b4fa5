/**
 * The optimizers, schedules of the learning rate, and averages of parameters. Each state can be
 * saved and restored, so that a resumed run continues with the same bits.
 */
package io.perflow.nn.optim;
