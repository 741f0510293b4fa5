package io.perflow.flow;

import io.perflow.tensor.Tensor;
import java.util.function.BinaryOperator;

/**
 * A network with the channels that describe the readings.
 *
 * @param channels the condition, [batch, channels, height, width] in normalized units; a batch of
 *     one if all states belong to the same field
 * @param network maps states [batch, …] and times [batch] to the network's output
 */
public record Condition(Tensor channels, BinaryOperator<Tensor> network) {}
