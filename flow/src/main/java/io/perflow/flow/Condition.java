package io.perflow.flow;

import io.perflow.tensor.Tensor;
import java.util.function.BinaryOperator;

/**
 * A network that was told what sensors say.
 *
 * @param channels what it was told, [batch, channels, height, width] in normalized units; of one
 *     field when all states are of that field
 * @param network from states [batch, …] and times [batch] to what it gives
 */
public record Condition(Tensor channels, BinaryOperator<Tensor> network) {}
