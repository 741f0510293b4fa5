package io.perflow.physics.metric;

import io.perflow.tensor.Check;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;

/**
 * The misfit of reconstructions x to the readings y at the sensors, where the mask M is 1.
 *
 * <p>Fields and readings are [batch, channels, height, width]; the mask may have extent 1 on any
 * axis. Results are F64 of shape [batch].
 */
public final class SensorMisfit {
  private SensorMisfit() {}

  /**
   * Returns the root of the mean square of x - y over the sensors of each sample, in the unit of
   * the field.
   */
  public static Tensor rms(Tensor prediction, Tensor readings, Tensor mask) {
    Tensor m = mask("sensor misfit", prediction, readings, mask);
    Tensor error = difference(prediction, readings).mul(m);
    return error.square().sum(1, 2, 3).div(m.sum(1, 2, 3)).sqrt();
  }

  /** Returns ‖M (x - y)‖₂ / ‖M y‖₂ of each sample; infinite when all its readings are zero. */
  public static Tensor relative(Tensor prediction, Tensor readings, Tensor mask) {
    Tensor m = mask("relative sensor misfit", prediction, readings, mask);
    Tensor error = difference(prediction, readings).mul(m);
    Tensor size = readings.to(DataType.F64).mul(m);
    return error.square().sum(1, 2, 3).div(size.square().sum(1, 2, 3)).sqrt();
  }

  /** Returns the largest |x - y| over the sensors of each sample. */
  public static Tensor largest(Tensor prediction, Tensor readings, Tensor mask) {
    Tensor m = mask("largest sensor misfit", prediction, readings, mask);
    return difference(prediction, readings).mul(m).abs().max(false, 1, 2, 3);
  }

  private static Tensor difference(Tensor prediction, Tensor readings) {
    return prediction.to(DataType.F64).sub(readings.to(DataType.F64));
  }

  private static Tensor mask(String op, Tensor prediction, Tensor readings, Tensor mask) {
    Check.rank(op, "prediction", prediction, 4);
    Check.sameShape(op, "readings", readings, prediction.shape());
    Check.that(
        Shape.broadcast(op, mask.shape(), prediction.shape()).equals(prediction.shape()),
        op,
        "mask %s does not fit fields %s",
        mask.shape(),
        prediction.shape());
    Tensor wide = mask.to(DataType.F64).expand(prediction.shape());
    double[] sensors = wide.sum(1, 2, 3).toDoubles();
    for (int b = 0; b < sensors.length; b++) {
      Check.that(sensors[b] > 0, op, "sample %d has no sensor in mask %s", b, mask.shape());
    }
    return wide;
  }
}
