package io.perflow.flow;

import io.perflow.nn.onnx.OnnxExport;
import io.perflow.physics.Problem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/**
 * An export of the network of a flow for other runtimes. Its inputs, in normalized units on the
 * grid of the problem, are:
 *
 * <ul>
 *   <li>{@code state} (batch, channels, h, w), x_t
 *   <li>{@code time} (batch), t from 0 to 1
 *   <li>{@code condition} (batch, k, h, w), the channels of {@link Conditioning}
 * </ul>
 *
 * <p>The output (batch, channels, h, w) is {@code velocity}, or {@code field} for a flow that
 * predicts the field x̂₁ at the end of its path: the velocity is then (x̂₁ - x_t) / (1 - t). A flow
 * with a stream function has the output {@code stream_function} (batch, channels / 2, h, w), before
 * the curl. The exported network pads fields to the sizes that it needs; it does not project.
 */
final class FlowExport {
  private FlowExport() {}

  static OnnxExport of(RectifiedFlow flow) {
    FlowConfig config = flow.config();
    Problem problem = config.problem();
    int h = problem.grid().height();
    int w = problem.grid().width();
    List<String> told = config.condition().names(problem);
    boolean streams = config.head() == FlowConfig.Head.STREAM_FUNCTION;
    OnnxExport export =
        OnnxExport.of(
                flow.network(),
                in -> {
                  Condition condition = flow.condition(in[2]);
                  return streams
                      ? condition.network().apply(in[0], in[1])
                      : flow.output(in[0], in[1], condition);
                })
            .input(
                "state",
                "normalized " + String.join(", ", problem.channels()),
                problem.channelCount(),
                h,
                w)
            .input("time", "from 0, the start, to 1, the field")
            .input("condition", String.join("; ", told), told.size(), h, w)
            .note("flow", json(config))
            .note("condition", String.join("; ", told));
    return named(export, config, streams);
  }

  private static OnnxExport named(OnnxExport export, FlowConfig config, boolean streams) {
    if (streams) {
      return export.output("stream_function", "output of the network, before its curl");
    }
    return config.prediction() == FlowConfig.Prediction.VELOCITY
        ? export.output("velocity", "before its projection")
        : export.output("field", "predicted for time 1, before its projection");
  }

  private static String json(FlowConfig config) {
    try {
      return config.toJson();
    } catch (IOException e) {
      throw new UncheckedIOException(e.getMessage(), e);
    }
  }
}
