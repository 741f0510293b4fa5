package io.perflow.nn.onnx;

import io.perflow.tensor.op.AddScaled;
import io.perflow.tensor.op.Attention;
import io.perflow.tensor.op.AvgPool2d;
import io.perflow.tensor.op.Binary;
import io.perflow.tensor.op.Concat;
import io.perflow.tensor.op.Contiguous;
import io.perflow.tensor.op.Conv2d;
import io.perflow.tensor.op.Conv2dBackwardInput;
import io.perflow.tensor.op.CumulativeSum;
import io.perflow.tensor.op.Expand;
import io.perflow.tensor.op.Extremum;
import io.perflow.tensor.op.Gather;
import io.perflow.tensor.op.GroupNorm;
import io.perflow.tensor.op.Linear;
import io.perflow.tensor.op.MatMul;
import io.perflow.tensor.op.MaxPool2d;
import io.perflow.tensor.op.Op;
import io.perflow.tensor.op.Permute;
import io.perflow.tensor.op.Reshape;
import io.perflow.tensor.op.Scatter;
import io.perflow.tensor.op.Slice;
import io.perflow.tensor.op.Softmax;
import io.perflow.tensor.op.Sum;
import io.perflow.tensor.op.Unary;
import io.perflow.tensor.op.UpsampleNearest;
import io.perflow.tensor.op.Where;
import java.util.HashMap;
import java.util.Map;

/**
 * The ONNX forms of all operations, one line per class. Operations that are not listed have none,
 * except {@link io.perflow.tensor.op.Fused} ones, which are written as their composition.
 */
final class Operators {
  /** A form that adds the nodes of an operation and returns the name of its result. */
  @FunctionalInterface
  private interface Form<O extends Op> {
    String write(O op, Call call);
  }

  private static final Map<Class<?>, Form<?>> FORMS = new HashMap<>();

  static {
    on(Unary.class, Elementwise::unary);
    on(Binary.class, Elementwise::binary);
    on(AddScaled.class, Elementwise::addScaled);
    on(Where.class, Elementwise::where);

    on(Linear.class, Products::linear);
    on(MatMul.class, (_, c) -> c.graph().node("MatMul", c.input(0), c.input(1)));
    on(Softmax.class, (_, c) -> Products.softmax(c.graph(), c.input(0)));
    on(Attention.class, Products::attention);

    on(Conv2d.class, ImageOperators::conv2d);
    on(Conv2dBackwardInput.class, ImageOperators::convTranspose2d);
    on(GroupNorm.class, ImageOperators::groupNorm);
    on(AvgPool2d.class, (op, c) -> ImageOperators.pool("AveragePool", op.spec(), c));
    on(MaxPool2d.class, (op, c) -> ImageOperators.pool("MaxPool", op.spec(), c));
    on(UpsampleNearest.class, (op, c) -> ImageOperators.upsample(op.factor(), c));

    on(Contiguous.class, (_, c) -> c.input(0)); // ONNX has no memory layouts
    on(Reshape.class, (_, c) -> c.graph().reshape(c.input(0), c.output()));
    on(Permute.class, (op, c) -> c.graph().transpose(c.input(0), op.axes()));
    on(Expand.class, (_, c) -> Movement.expand(c));
    on(Slice.class, Movement::slice);
    on(Scatter.class, Movement::pad);
    on(Gather.class, Movement::gather);
    on(
        Concat.class,
        (op, c) -> c.graph().node("Concat", c.inputs(), Attribute.integer("axis", op.axis())));

    on(Sum.class, Movement::sum);
    on(Extremum.class, Movement::extremum);
    on(CumulativeSum.class, Movement::cumulativeSum);
  }

  private Operators() {}

  private static <O extends Op> void on(Class<O> type, Form<O> form) {
    FORMS.put(type, form);
  }

  /**
   * Writes an operation and returns the name of its result.
   *
   * @throws IllegalArgumentException when it has no ONNX form
   */
  static String write(Op op, Call call) {
    return write(op.getClass(), op, call);
  }

  private static <O extends Op> String write(Class<O> type, Op op, Call call) {
    @SuppressWarnings("unchecked") // on() takes a class and a form of the same type
    Form<O> form = (Form<O>) FORMS.get(type);
    if (form == null) {
      throw call.unsupported("");
    }
    return form.write(type.cast(op), call);
  }
}
