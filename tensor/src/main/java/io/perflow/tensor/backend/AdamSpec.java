package io.perflow.tensor.backend;

/**
 * The numbers of one Adam step. {@code step} counts from 1; the gradient is multiplied by {@code
 * gradScale} first (clipping); weight decay is decoupled (AdamW) or added to the gradient (L2).
 */
public record AdamSpec(
    double lr,
    double beta1,
    double beta2,
    double eps,
    double weightDecay,
    boolean decoupled,
    int step,
    double gradScale) {}
