package io.perflow.tensor;

import io.perflow.tensor.backend.Storage;
import io.perflow.tensor.op.AddScaled;
import io.perflow.tensor.op.Argmax;
import io.perflow.tensor.op.Binary;
import io.perflow.tensor.op.BinaryKind;
import io.perflow.tensor.op.Cast;
import io.perflow.tensor.op.Concat;
import io.perflow.tensor.op.Contiguous;
import io.perflow.tensor.op.CumulativeSum;
import io.perflow.tensor.op.Expand;
import io.perflow.tensor.op.Extremum;
import io.perflow.tensor.op.Gather;
import io.perflow.tensor.op.MatMul;
import io.perflow.tensor.op.Move;
import io.perflow.tensor.op.Permute;
import io.perflow.tensor.op.ReduceKind;
import io.perflow.tensor.op.Reshape;
import io.perflow.tensor.op.Scatter;
import io.perflow.tensor.op.ScatterAdd;
import io.perflow.tensor.op.Slice;
import io.perflow.tensor.op.Softmax;
import io.perflow.tensor.op.Sum;
import io.perflow.tensor.op.Unary;
import io.perflow.tensor.op.UnaryKind;
import io.perflow.tensor.op.Where;
import java.util.Arrays;

/**
 * An n-dimensional array of numbers on a device: a storage and a layout over it.
 *
 * <p>A tensor is immutable: every operation returns a new tensor and never changes its input, so
 * views (reshape, permute, slice, expand) can share memory freely. Elementwise operations broadcast
 * as in NumPy. Axes may count from the end, -1 being the last. Operations for networks
 * (convolution, norms, attention, Fourier transforms) are classes of {@code io.perflow.tensor.op},
 * with names for the common calls in {@link Images}, {@link Norms} and {@link Fourier}.
 *
 * <p>Any number of threads may use a tensor at once, until the {@link Scope} that it belongs to is
 * closed by the thread that opened it.
 */
public final class Tensor {
  private final Storage storage;
  private final Layout layout;

  private Tensor(Storage storage, Layout layout) {
    this.storage = storage;
    this.layout = layout;
  }

  // ---- factories

  /** Returns a tensor over a storage; for backends. */
  public static Tensor over(Storage storage, Layout layout) {
    return new Tensor(storage, layout);
  }

  /**
   * Returns an F32 tensor on the CPU with these numbers in row-major order; the array is copied.
   */
  public static Tensor of(float[] data, int... shape) {
    Shape s = sized(data.length, shape);
    return Device.cpu().backend().memory().upload(data, s);
  }

  /**
   * Returns an F64 tensor on the CPU with these numbers in row-major order; the array is copied.
   */
  public static Tensor of(double[] data, int... shape) {
    Shape s = sized(data.length, shape);
    return Device.cpu().backend().memory().upload(data, s);
  }

  /** Returns an F32 scalar on the CPU. */
  public static Tensor scalar(double value) {
    return full(Device.cpu(), Shape.of(), DataType.F32, value);
  }

  /** Returns an F32 tensor of zeros on the CPU. */
  public static Tensor zeros(int... shape) {
    return full(Device.cpu(), Shape.of(shape), DataType.F32, 0);
  }

  /** Returns an F32 tensor of ones on the CPU. */
  public static Tensor ones(int... shape) {
    return full(Device.cpu(), Shape.of(shape), DataType.F32, 1);
  }

  /** Returns a tensor filled with one number. */
  public static Tensor full(Device device, Shape shape, DataType type, double value) {
    return device.backend().memory().fill(shape, type, value);
  }

  /** Returns an F32 tensor 0, 1, … n - 1 on the CPU. */
  public static Tensor arange(int n) {
    float[] data = new float[n];
    for (int i = 0; i < n; i++) {
      data[i] = i;
    }
    return of(data, n);
  }

  /** Returns zeros of this tensor's shape, type and device. */
  public Tensor zerosLike() {
    return full(device(), shape(), type(), 0);
  }

  private static Shape sized(int length, int... shape) {
    Shape s = Shape.of(shape);
    Check.that(
        s.size() == length, "tensor", "shape %s has %d elements, %d given", s, s.size(), length);
    return s;
  }

  // ---- properties

  /** Returns the shape. */
  public Shape shape() {
    return layout.shape();
  }

  /** Returns the extent of an axis. */
  public int dim(int axis) {
    return layout.shape().dim(axis);
  }

  /** Returns the number of axes. */
  public int rank() {
    return layout.shape().rank();
  }

  /** Returns the number of elements. */
  public int size() {
    return layout.shape().size();
  }

  /** Returns the type of the numbers. */
  public DataType type() {
    return storage.type();
  }

  /** Returns the device that holds it. */
  public Device device() {
    return storage.device();
  }

  /** Returns the layout of its elements in the storage. */
  public Layout layout() {
    return layout;
  }

  /** Returns its memory; for backends and tapes. */
  public Storage storage() {
    return storage;
  }

  /** Returns the elements in row-major order, rounded if this is F64. */
  public float[] toFloats() {
    return device().backend().memory().toFloats(this);
  }

  /** Returns the elements in row-major order. */
  public double[] toDoubles() {
    return device().backend().memory().toDoubles(this);
  }

  /**
   * Returns the number of a tensor that holds one.
   *
   * @throws ShapeException when it holds none or several
   */
  public double item() {
    Check.that(size() == 1, "item", "shape %s has %d elements, not one", shape(), size());
    return toDoubles()[0];
  }

  /**
   * Returns one element, given an index for each axis. It waits for the device and copies a single
   * number, so use {@link #toDoubles} to loop over elements.
   *
   * @throws ShapeException when the number of indices is not the rank, or an index is outside its
   *     axis
   */
  public double get(int... index) {
    Check.that(
        index.length == rank(),
        "get",
        "%d indices for shape %s with %d axes",
        index.length,
        shape(),
        rank());
    Layout one = layout;
    for (int axis = 0; axis < index.length; axis++) {
      Check.that(
          index[axis] >= 0 && index[axis] < dim(axis),
          "get",
          "index %d is outside axis %d of shape %s with %d entries",
          index[axis],
          axis,
          shape(),
          dim(axis));
      one = one.slice(axis, index[axis], 1, 1);
    }
    return view(one).item();
  }

  /** Returns this tensor in another type; the same object if it already has this type. */
  public Tensor to(DataType type) {
    return type == type() ? this : new Cast(type).apply(this);
  }

  /** Returns this tensor on another device; the same object if it is already there. */
  public Tensor to(Device device) {
    return device == device() ? this : new Move(device(), device).apply(this);
  }

  // ---- elementwise

  /** Returns f(x) element by element. */
  public Tensor unary(UnaryKind kind) {
    return Unary.of(kind).apply(this);
  }

  /** Returns f(a, b) element by element, with broadcasting. */
  public Tensor binary(BinaryKind kind, Tensor b) {
    return Binary.of(kind).apply(this, b);
  }

  private Tensor binary(BinaryKind kind, double b) {
    return binary(kind, full(device(), Shape.of(), type(), b));
  }

  /** Returns -x. */
  public Tensor neg() {
    return unary(UnaryKind.NEG);
  }

  /** Returns |x|. */
  public Tensor abs() {
    return unary(UnaryKind.ABS);
  }

  /** Returns -1, 0 or 1. */
  public Tensor sign() {
    return unary(UnaryKind.SIGN);
  }

  /** Returns x^2. */
  public Tensor square() {
    return unary(UnaryKind.SQUARE);
  }

  /** Returns the square root. */
  public Tensor sqrt() {
    return unary(UnaryKind.SQRT);
  }

  /** Returns 1 / sqrt(x). */
  public Tensor rsqrt() {
    return unary(UnaryKind.RSQRT);
  }

  /** Returns 1 / x. */
  public Tensor reciprocal() {
    return unary(UnaryKind.RECIPROCAL);
  }

  /** Returns e^x. */
  public Tensor exp() {
    return unary(UnaryKind.EXP);
  }

  /** Returns the natural logarithm. */
  public Tensor log() {
    return unary(UnaryKind.LOG);
  }

  /** Returns the sine. */
  public Tensor sin() {
    return unary(UnaryKind.SIN);
  }

  /** Returns the cosine. */
  public Tensor cos() {
    return unary(UnaryKind.COS);
  }

  /** Returns the hyperbolic tangent. */
  public Tensor tanh() {
    return unary(UnaryKind.TANH);
  }

  /** Returns 1 / (1 + e^-x). */
  public Tensor sigmoid() {
    return unary(UnaryKind.SIGMOID);
  }

  /** Returns x sigmoid(x). */
  public Tensor silu() {
    return unary(UnaryKind.SILU);
  }

  /** Returns max(x, 0). */
  public Tensor relu() {
    return unary(UnaryKind.RELU);
  }

  /** Returns x Phi(x) with the normal distribution function Phi, in its exact form. */
  public Tensor gelu() {
    return unary(UnaryKind.GELU);
  }

  /** Returns a + b. */
  public Tensor add(Tensor b) {
    return binary(BinaryKind.ADD, b);
  }

  /** Returns a + b. */
  public Tensor add(double b) {
    return binary(BinaryKind.ADD, b);
  }

  /** Returns a + alpha b for equal shapes, in one pass. */
  public Tensor addScaled(Tensor b, double alpha) {
    return new AddScaled(alpha).apply(this, b);
  }

  /** Returns a - b. */
  public Tensor sub(Tensor b) {
    return binary(BinaryKind.SUB, b);
  }

  /** Returns a - b. */
  public Tensor sub(double b) {
    return binary(BinaryKind.SUB, b);
  }

  /** Returns a b. */
  public Tensor mul(Tensor b) {
    return binary(BinaryKind.MUL, b);
  }

  /** Returns a b. */
  public Tensor mul(double b) {
    return binary(BinaryKind.MUL, b);
  }

  /** Returns a / b. */
  public Tensor div(Tensor b) {
    return binary(BinaryKind.DIV, b);
  }

  /** Returns a / b. */
  public Tensor div(double b) {
    return binary(BinaryKind.DIV, b);
  }

  /** Returns a^b. */
  public Tensor pow(Tensor b) {
    return binary(BinaryKind.POW, b);
  }

  /** Returns a^b. */
  public Tensor pow(double b) {
    return binary(BinaryKind.POW, b);
  }

  /** Returns the smaller of two. */
  public Tensor minimum(Tensor b) {
    return binary(BinaryKind.MIN, b);
  }

  /** Returns the smaller of two. */
  public Tensor minimum(double b) {
    return binary(BinaryKind.MIN, b);
  }

  /** Returns the larger of two. */
  public Tensor maximum(Tensor b) {
    return binary(BinaryKind.MAX, b);
  }

  /** Returns the larger of two. */
  public Tensor maximum(double b) {
    return binary(BinaryKind.MAX, b);
  }

  /** Returns x clipped to two bounds. */
  public Tensor clamp(double low, double high) {
    return maximum(low).minimum(high);
  }

  /** Returns 1 where equal, otherwise 0. */
  public Tensor eq(Tensor b) {
    return binary(BinaryKind.EQ, b);
  }

  /** Returns 1 where equal, otherwise 0. */
  public Tensor eq(double b) {
    return binary(BinaryKind.EQ, b);
  }

  /** Returns 1 where a &lt; b, otherwise 0. */
  public Tensor less(Tensor b) {
    return binary(BinaryKind.LT, b);
  }

  /** Returns 1 where a &lt; b, otherwise 0. */
  public Tensor less(double b) {
    return binary(BinaryKind.LT, b);
  }

  /** Returns 1 where a &gt; b, otherwise 0. */
  public Tensor greater(Tensor b) {
    return binary(BinaryKind.GT, b);
  }

  /** Returns 1 where a &gt; b, otherwise 0. */
  public Tensor greater(double b) {
    return binary(BinaryKind.GT, b);
  }

  /** Returns a where this tensor, the condition, is not zero, otherwise b. */
  public Tensor where(Tensor a, Tensor b) {
    return new Where().apply(this, a, b);
  }

  // ---- reductions; no axes given means all

  /** Sums over axes, which are removed. */
  public Tensor sum(int... axes) {
    return sum(false, axes);
  }

  /** Sums over axes, which are kept with extent 1 or removed. */
  public Tensor sum(boolean keep, int... axes) {
    return new Sum(Check.axes("sum", shape(), axes), keep).apply(this);
  }

  /** Averages over axes, which are removed. */
  public Tensor mean(int... axes) {
    return mean(false, axes);
  }

  /** Averages over axes, which are kept with extent 1 or removed. */
  public Tensor mean(boolean keep, int... axes) {
    Tensor sum = sum(keep, axes);
    return sum.mul((double) sum.size() / size());
  }

  /** Returns the mean squared deviation from the mean over axes (divided by n, not n - 1). */
  public Tensor variance(boolean keep, int... axes) {
    return sub(mean(true, axes)).square().mean(keep, axes);
  }

  /** Returns the largest element over axes. */
  public Tensor max(boolean keep, int... axes) {
    return new Extremum(ReduceKind.MAX, Check.axes("max", shape(), axes), keep).apply(this);
  }

  /** Returns the smallest element over axes. */
  public Tensor min(boolean keep, int... axes) {
    return new Extremum(ReduceKind.MIN, Check.axes("min", shape(), axes), keep).apply(this);
  }

  /** Returns the position of the first largest element along an axis, which is removed. */
  public Tensor argmax(int axis) {
    return new Argmax(Check.axis("argmax", shape(), axis), false).apply(this);
  }

  /** Returns the running sums along an axis. */
  public Tensor cumsum(int axis) {
    return new CumulativeSum(Check.axis("cumsum", shape(), axis)).apply(this);
  }

  /**
   * Sums over the axes along which {@code narrower} was repeated to this shape: the gradient of a
   * broadcast.
   */
  public Tensor sumTo(Shape narrower) {
    if (shape().equals(narrower)) {
      return this;
    }
    int lead = rank() - narrower.rank();
    int[] axes = new int[rank()];
    int count = 0;
    for (int i = 0; i < rank(); i++) {
      if (i < lead || narrower.dim(i - lead) == 1 && dim(i) != 1) {
        axes[count++] = i;
      }
    }
    Tensor summed = count == 0 ? this : sum(true, Arrays.copyOf(axes, count));
    return summed.reshape(narrower);
  }

  // ---- linear algebra

  /** Returns the matrix product over the last two axes; the others broadcast. */
  public Tensor matmul(Tensor b) {
    return new MatMul().apply(this, b);
  }

  /** Returns the softmax along the last axis. */
  public Tensor softmax() {
    return new Softmax().apply(this);
  }

  // ---- views and rearrangements

  /** Returns the same storage seen through another layout; for operations. */
  public Tensor view(Layout other) {
    return new Tensor(storage, other);
  }

  /**
   * Returns the elements in row-major order under another shape; one extent may be -1 and is then
   * computed from the size.
   */
  public Tensor reshape(int... extents) {
    int open = -1;
    long known = 1;
    for (int i = 0; i < extents.length; i++) {
      if (extents[i] == -1) {
        Check.that(open < 0, "reshape", "%s leaves two extents open", Arrays.toString(extents));
        open = i;
      } else {
        known *= extents[i];
      }
    }
    int[] filled = extents.clone();
    if (open >= 0) {
      Check.that(
          known > 0 && size() % known == 0,
          "reshape",
          "%s does not divide the %d elements of %s",
          Arrays.toString(extents),
          size(),
          shape());
      filled[open] = (int) (size() / known);
    }
    return reshape(Shape.of(filled));
  }

  /** Returns the elements in row-major order under another shape. */
  public Tensor reshape(Shape shape) {
    return shape.equals(shape()) ? this : new Reshape(shape).apply(this);
  }

  /** Returns the axes in another order. */
  public Tensor permute(int... axes) {
    int[] counted = new int[axes.length];
    for (int i = 0; i < axes.length; i++) {
      counted[i] = Check.axis("permute", shape(), axes[i]);
    }
    return new Permute(counted).apply(this);
  }

  /** Returns the last two axes exchanged. */
  public Tensor transpose() {
    Check.that(rank() >= 2, "transpose", "shape %s has fewer than two axes", shape());
    int[] axes = Check.axes("transpose", shape());
    axes[rank() - 1] = rank() - 2;
    axes[rank() - 2] = rank() - 1;
    return permute(axes);
  }

  /** Returns entries {@code start} to {@code end} (exclusive) of an axis. */
  public Tensor slice(int axis, int start, int end) {
    return slice(axis, start, end - start, 1);
  }

  /** Returns {@code count} entries of an axis from {@code start} by {@code step}. */
  public Tensor slice(int axis, int start, int count, int step) {
    int at = Check.axis("slice", shape(), axis);
    Check.that(
        count >= 0, "slice", "%d entries of axis %d of shape %s requested", count, at, shape());
    int[] starts = new int[rank()];
    int[] steps = new int[rank()];
    Arrays.fill(steps, 1);
    int[] counts = shape().toArray();
    starts[at] = start;
    counts[at] = count;
    steps[at] = step;
    return new Slice(starts, counts, steps).apply(this);
  }

  /** Returns entry {@code index} of an axis, which is removed. */
  public Tensor select(int axis, int index) {
    int at = Check.axis("select", shape(), axis);
    return slice(at, index, index + 1).reshape(shape().remove(at));
  }

  /** Reverses an axis. */
  public Tensor flip(int axis) {
    int extent = dim(axis);
    return extent == 0 ? this : slice(axis, extent - 1, extent, -1);
  }

  /** Repeats axes of extent 1, and new leading ones, to fill a wider shape. */
  public Tensor expand(Shape shape) {
    return shape.equals(shape()) ? this : new Expand(shape).apply(this);
  }

  /** Adds an axis of extent 1 before position {@code axis}. */
  public Tensor unsqueeze(int axis) {
    return reshape(shape().insert(axis < 0 ? axis + rank() + 1 : axis, 1));
  }

  /**
   * Removes an axis of extent 1.
   *
   * @throws ShapeException when it has another extent
   */
  public Tensor squeeze(int axis) {
    int at = Check.axis("squeeze", shape(), axis);
    Check.that(
        dim(at) == 1,
        "squeeze",
        "axis %d of shape %s has %d entries, not one; select(%d, i) picks one of them",
        at,
        shape(),
        dim(at),
        at);
    return reshape(shape().remove(at));
  }

  /** Removes all axes of extent 1; the result is a scalar if there are no others. */
  public Tensor squeeze() {
    return reshape(Arrays.stream(shape().toArray()).filter(extent -> extent != 1).toArray());
  }

  /** Returns this tensor in row-major memory; the same object if it already is. */
  public Tensor contiguous() {
    return layout.isContiguous() ? this : new Contiguous().apply(this);
  }

  /** Joins tensors along an axis. */
  public static Tensor concat(int axis, Tensor... parts) {
    Check.that(parts.length > 0, "concat", "nothing to join");
    int at = Check.axis("concat", parts[0].shape(), axis);
    return parts.length == 1 ? parts[0] : new Concat(at).apply(parts);
  }

  /** Joins tensors of one shape along a new axis, which comes before position {@code axis}. */
  public static Tensor stack(int axis, Tensor... parts) {
    Check.that(parts.length > 0, "stack", "nothing to join");
    Shape shape = parts[0].shape();
    int at = axis < 0 ? axis + shape.rank() + 1 : axis;
    Check.that(
        at >= 0 && at <= shape.rank(), "stack", "cannot insert axis %d into shape %s", axis, shape);
    Tensor[] raised = new Tensor[parts.length];
    for (int i = 0; i < parts.length; i++) {
      Check.sameShape("stack", "part " + i, parts[i], shape);
      raised[i] = parts[i].unsqueeze(at);
    }
    return concat(at, raised);
  }

  /**
   * Divides an axis into consecutive parts, as views: the first {@code sizes[0]} entries, the next
   * {@code sizes[1]} and so on. {@link #concat} joins them again.
   *
   * @throws ShapeException when the sizes do not add up to the extent of the axis
   */
  public Tensor[] split(int axis, int... sizes) {
    int at = Check.axis("split", shape(), axis);
    long sum = 0;
    for (int size : sizes) {
      Check.that(size >= 0, "split", "sizes %s must not be negative", Arrays.toString(sizes));
      sum += size;
    }
    Check.that(
        sum == dim(at),
        "split",
        "sizes %s add up to %d, axis %d of shape %s has %d entries",
        Arrays.toString(sizes),
        sum,
        at,
        shape(),
        dim(at));
    Tensor[] parts = new Tensor[sizes.length];
    int from = 0;
    for (int i = 0; i < sizes.length; i++) {
      parts[i] = slice(at, from, from + sizes[i]);
      from += sizes[i];
    }
    return parts;
  }

  /** Adds zeros around an axis. */
  public Tensor pad(int axis, int before, int after) {
    int at = Check.axis("pad", shape(), axis);
    Check.that(
        before >= 0 && after >= 0, "pad", "padding %d and %d must not be negative", before, after);
    int[] starts = new int[rank()];
    int[] steps = new int[rank()];
    Arrays.fill(steps, 1);
    starts[at] = before;
    return new Scatter(shape().with(at, before + dim(at) + after), starts, steps).apply(this);
  }

  /** Pads an axis with its opposite ends, as on a periodic domain. */
  public Tensor padCircular(int axis, int before, int after) {
    int at = Check.axis("pad", shape(), axis);
    int n = dim(at);
    Check.that(
        before >= 0 && before <= n && after >= 0 && after <= n,
        "pad",
        "circular padding %d and %d must lie between 0 and %d, the extent of axis %d of %s",
        before,
        after,
        n,
        at,
        shape());
    return concat(at, slice(at, n - before, n), this, slice(at, 0, after));
  }

  /** Returns the entries of an axis that the index lists, in its order. */
  public Tensor gather(int axis, int... index) {
    return new Gather(Check.axis("gather", shape(), axis), index.clone()).apply(this);
  }

  /** Adds entry i of an axis to entry index[i] of an axis of the given size. */
  public Tensor scatterAdd(int axis, int size, int... index) {
    return new ScatterAdd(Check.axis("scatter_add", shape(), axis), size, index.clone())
        .apply(this);
  }

  /** Returns type, shape and device, and the numbers when they are few. */
  @Override
  public String toString() {
    String head = "Tensor " + type() + " " + shape() + " on " + device();
    return size() > 16 ? head : head + " " + Arrays.toString(toDoubles());
  }
}
