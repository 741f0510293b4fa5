package io.perflow.tensor.op;

/**
 * The options of a group normalisation fused with the operations that follow it in a residual
 * block: y = act(z (1 + scale) + shift), z = (x - mean) / sqrt(variance + eps) * weight + bias.
 * Here act is SiLU or nothing, {@code affine} says whether there are weight and bias, and {@code
 * modulated} whether there are scale and shift.
 */
public record GroupNormSpec(
    int groups, double eps, boolean affine, boolean modulated, boolean silu) {}
