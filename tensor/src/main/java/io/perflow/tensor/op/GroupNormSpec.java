package io.perflow.tensor.op;

/**
 * A group normalisation with what follows it in a residual block, in one pass: y = act(z (1 +
 * scale) + shift), z = (x - mean) / sqrt(variance + eps) * weight + bias; act is SiLU or nothing;
 * {@code affine} says whether weight and bias are there, {@code modulated} whether scale and shift
 * are.
 */
public record GroupNormSpec(
    int groups, double eps, boolean affine, boolean modulated, boolean silu) {}
