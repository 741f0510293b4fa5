package io.perflow.cuda;

import io.perflow.tensor.DataType;
import io.perflow.tensor.Layout;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * {@code struct Walk} of {@code walk.cuh}: the common index space of a result and its operands, all
 * of one shape, as few nested loops as possible. Axes are ordered by the result's strides,
 * neighbours merged where every operand steps evenly over both, axes of extent 1 dropped. Where the
 * innermost axis allows it, elements are visited in groups that fill 16 bytes.
 *
 * <p>Each operand begins at its own {@link #offset}. A space of more axes than a kernel knows is
 * cut into several walks.
 */
final class Walk {
  /** The largest number of axes that a kernel supports. */
  static final int MAX_RANK = 8;

  private static final int GROUP_BYTES = 16;

  private final int[] dims; // innermost first, at least one
  private final int[][] strides; // [operand][axis], innermost first
  private final int[] offsets;
  private final int width;

  private Walk(int[] dims, int[][] strides, int[] offsets, int width) {
    this.dims = dims;
    this.strides = strides;
    this.offsets = offsets;
    this.width = width;
  }

  /**
   * Returns walks over these layouts of one shape, element by element; the first one decides the
   * order.
   */
  static List<Walk> of(Layout... operands) {
    return cut(merged(operands), 1);
  }

  /** Returns walks like {@link #of}, in groups of 16 bytes where every operand allows it. */
  static List<Walk> grouped(DataType type, Layout... operands) {
    return cut(merged(operands), GROUP_BYTES / type.bytes());
  }

  /**
   * Returns the one walk over these layouts, or null when it would need several; then a copy
   * without gaps needs only one.
   */
  static Walk single(Layout... operands) {
    Walk all = merged(operands);
    return all.dims.length > MAX_RANK ? null : all;
  }

  private static Walk merged(Layout... operands) {
    Shape shape = operands[0].shape();
    int[] order = operands[0].order(); // slowest first
    List<int[]> axes = new ArrayList<>(); // extent, then a stride for each operand
    for (int i = order.length - 1; i >= 0; i--) {
      int dim = shape.dim(order[i]);
      if (dim == 1) {
        continue;
      }
      int[] axis = new int[1 + operands.length];
      axis[0] = dim;
      for (int k = 0; k < operands.length; k++) {
        axis[1 + k] = operands[k].stride(order[i]);
      }
      if (axes.isEmpty() || !merges(axes.getLast(), axis)) {
        axes.add(axis);
      } else {
        axes.getLast()[0] *= dim;
      }
    }
    if (axes.isEmpty()) {
      int[] axis = new int[1 + operands.length];
      axis[0] = shape.size();
      axes.add(axis);
    }
    int[] dims = axes.stream().mapToInt(axis -> axis[0]).toArray();
    int[][] strides = new int[operands.length][];
    for (int k = 0; k < operands.length; k++) {
      int at = 1 + k;
      strides[k] = axes.stream().mapToInt(axis -> axis[at]).toArray();
    }
    return new Walk(dims, strides, Arrays.stream(operands).mapToInt(Layout::offset).toArray(), 1);
  }

  private static boolean merges(int[] inner, int[] outer) {
    for (int k = 1; k < inner.length; k++) {
      if (outer[k] != inner[k] * inner[0]) {
        return false;
      }
    }
    return true;
  }

  // One walk for each place along the surplus axes, the slowest ones.
  private static List<Walk> cut(Walk all, int width) {
    if (all.dims.length <= MAX_RANK) {
      return List.of(all.allows(width) ? all.grouped(width) : all);
    }
    int last = all.dims.length - 1;
    List<Walk> walks = new ArrayList<>();
    for (int i = 0; i < all.dims[last]; i++) {
      int[] offsets = all.offsets.clone();
      int[][] strides = new int[offsets.length][];
      for (int k = 0; k < offsets.length; k++) {
        offsets[k] += i * all.strides[k][last];
        strides[k] = Arrays.copyOf(all.strides[k], last);
      }
      walks.addAll(cut(new Walk(Arrays.copyOf(all.dims, last), strides, offsets, 1), width));
    }
    return walks;
  }

  private boolean allows(int group) {
    boolean allowed = group > 1 && dims[0] % group == 0 && dims[0] > 0 && strides[0][0] == 1;
    for (int k = 0; k < offsets.length && allowed; k++) {
      if (strides[k][0] == 0) {
        continue; // one number, repeated: read alone
      }
      allowed = strides[k][0] == 1 && offsets[k] % group == 0;
      for (int d = 1; d < dims.length; d++) {
        allowed &= strides[k][d] % group == 0;
      }
    }
    return allowed;
  }

  private Walk grouped(int group) {
    int[] fewer = dims.clone();
    fewer[0] /= group;
    int[][] wider = new int[strides.length][];
    for (int k = 0; k < strides.length; k++) {
      wider[k] = strides[k].clone();
      wider[k][0] *= group;
    }
    return new Walk(fewer, wider, offsets, group);
  }

  /** Returns the groups of elements. */
  int groups() {
    int groups = 1;
    for (int dim : dims) {
      groups *= dim;
    }
    return groups;
  }

  /** Returns where an operand begins in its storage. */
  int offset(int operand) {
    return offsets[operand];
  }

  /** Returns the number of elements of an operand between neighbours along the innermost axis. */
  int innerStride(int operand) {
    return strides[operand][0];
  }

  /** Returns the extent of the innermost axis. */
  int innerExtent() {
    return dims[0];
  }

  /** Appends {@code struct Walk} for as many operands as there are. */
  void appendTo(Struct struct) {
    struct.ints(dims.length, groups(), width);
    for (int[] stride : strides) {
      struct.ints(stride[0] == 0 ? 0 : 1);
    }
    for (int d = 0; d < MAX_RANK; d++) {
      struct.divisor(d < dims.length ? Math.max(1, dims[d]) : 1);
    }
    for (int[] stride : strides) {
      struct.ints(Arrays.copyOf(stride, MAX_RANK));
    }
  }

  /** Returns the walk as a structure of its own. */
  Struct struct() {
    Struct struct = new Struct();
    appendTo(struct);
    return struct;
  }

  /**
   * Returns the memory order for a result: that of the first operand that fills its shape densely,
   * otherwise row-major.
   */
  static Layout resultLayout(Shape shape, Tensor... operands) {
    for (Tensor operand : operands) {
      Layout layout = operand.layout();
      if (layout.shape().equals(shape) && layout.isDense() && !layout.isContiguous()) {
        return Layout.ordered(shape, layout.order());
      }
      if (layout.shape().equals(shape) && layout.isContiguous()) {
        return Layout.contiguous(shape);
      }
    }
    return Layout.contiguous(shape);
  }
}
