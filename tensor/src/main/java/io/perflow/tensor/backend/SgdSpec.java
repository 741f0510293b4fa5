package io.perflow.tensor.backend;

/**
 * The numbers of one step of gradient descent with momentum; {@code first} starts the velocity
 * afresh.
 */
public record SgdSpec(
    double lr,
    double momentum,
    double weightDecay,
    boolean nesterov,
    boolean first,
    double gradScale) {}
