/**
 * The systems with which PerFlow is compared, each a {@link io.perflow.flow.Reconstructor} that is
 * trained through {@link io.perflow.flow.Objective}: other probability paths and diffusion models
 * conditioned on the sensors, unconditional diffusion models guided by them, and inverted forward
 * surrogates.
 */
package io.perflow.flow.baseline;
