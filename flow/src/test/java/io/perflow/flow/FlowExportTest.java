package io.perflow.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ai.onnxruntime.OrtException;
import io.perflow.fixtures.Close;
import io.perflow.fixtures.OnnxRun;
import io.perflow.physics.Axis;
import io.perflow.physics.Problem;
import io.perflow.physics.Sensors;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Exported flows give in ONNX Runtime what they give here. */
class FlowExportTest {
  private static final double TOLERANCE = 1e-4;

  @ParameterizedTest
  @CsvSource({
    "burgers, VELOCITY, velocity",
    "burgers, CORRECTION, field",
    "poisson, CLEAN, field",
    "darcy, PRIOR, field"
  })
  void everyPrediction(String benchmark, FlowConfig.Prediction prediction, String output)
      throws OrtException {
    compare(Small.flow(Small.config(benchmark, prediction).head(FlowConfig.Head.DIRECT)), output);
  }

  @Test
  void gridsThatAreTooSmallForTheNetworkArePaddedInside() throws OrtException {
    Problem odd =
        Problem.named("odd")
            .axis(Axis.of("y", 0, 1, 13))
            .axis(Axis.periodic("x", 0, 1, 10))
            .channel("u")
            .sensors(Sensors.points(3))
            .build();
    compare(Small.flow(Small.config(odd, 0)), "field");
  }

  @Test
  void streamFunctionsLeaveBeforeTheirCurl() throws OrtException {
    RectifiedFlow flow =
        Small.flow(
            Small.config("ns", FlowConfig.Prediction.CLEAN).head(FlowConfig.Head.STREAM_FUNCTION));
    compare(flow, "stream_function");
  }

  @Test
  void theConditionNamesItsChannels() {
    FlowConfig config = Small.config("darcy", FlowConfig.Prediction.PRIOR);
    List<String> names = config.condition().names(config.problem());
    assertEquals(config.condition().count(config.problem()), names.size());
    assertEquals("reading of a", names.getFirst());
    assertEquals("y", names.getLast());
  }

  private static void compare(RectifiedFlow flow, String output) throws OrtException {
    FlowConfig config = flow.config();
    boolean streams = output.equals("stream_function");
    try (OnnxRun run = new OnnxRun(flow.onnx().toBytes())) {
      assertEquals(List.of(output), List.copyOf(run.session().getOutputNames()));
      for (int batch = 1; batch <= 4; batch += 3) {
        Rng rng = Rng.of(batch);
        Shape fields = config.problem().batch(batch);
        Tensor x = rng.split("x").normal(fields);
        Tensor t = rng.split("t").uniform(Shape.of(batch));
        Tensor told =
            rng.split("told").normal(fields.with(1, config.condition().count(config.problem())));
        Condition condition = flow.condition(told);
        Tensor expected = streams ? condition.network().apply(x, t) : flow.output(x, t, condition);
        Close.assertClose("batch " + batch, expected, run.run(x, t, told), TOLERANCE);
      }
    }
  }
}
