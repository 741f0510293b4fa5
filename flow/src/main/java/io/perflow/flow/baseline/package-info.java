/**
 * The systems PerFlow is compared with, each a {@link io.perflow.flow.Reconstructor} that is
 * trained through {@link io.perflow.flow.Objective}: other probability paths and diffusion models
 * that are told the sensors, unconditional diffusion models that are guided by them, and forward
 * surrogates that are inverted.
 */
package io.perflow.flow.baseline;
