package io.perflow.physics.constraint;

import io.perflow.tensor.Check;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.op.Gather;
import io.perflow.tensor.op.ScatterAdd;
import java.util.Arrays;

/**
 * A matrix of mostly zeros that multiplies batches of vectors on any device: y(i) = sum over its
 * entries of value x(column).
 *
 * <pre>{@code
 * SparseMatrix difference = SparseMatrix.of(1, 3).add(0, 0, -1).add(0, 1, 1).build();
 * }</pre>
 *
 * <p>For constraints on a field [batch, channels, height, width], columns count its entries of one
 * sample in row-major order.
 */
public final class SparseMatrix {
  private final int rows;
  private final int columns;
  private final int[] rowOf;
  private final int[] columnOf;
  private final Constant values;

  private SparseMatrix(Builder builder) {
    rows = builder.rows;
    columns = builder.columns;
    rowOf = Arrays.copyOf(builder.rowOf, builder.count);
    columnOf = Arrays.copyOf(builder.columnOf, builder.count);
    values = Constant.of(Tensor.of(Arrays.copyOf(builder.values, builder.count), builder.count));
  }

  /** Starts a matrix of this size without entries. */
  public static Builder of(int rows, int columns) {
    Check.that(rows > 0 && columns > 0, "sparse matrix", "%d x %d has no entries", rows, columns);
    return new Builder(rows, columns);
  }

  /** Returns the number of rows. */
  public int rows() {
    return rows;
  }

  /** Returns the number of columns. */
  public int columns() {
    return columns;
  }

  /** Returns a x for x of shape [batch, columns]; the result is [batch, rows]. */
  public Tensor times(Tensor x) {
    Check.size("sparse matrix", "columns", x, x.dim(1), columns);
    return product(x, columnOf, rowOf, rows);
  }

  /** Returns Aᵀ r for r of shape [batch, rows]; the result is [batch, columns]. */
  public Tensor transposedTimes(Tensor r) {
    Check.size("sparse matrix", "rows", r, r.dim(1), rows);
    return product(r, rowOf, columnOf, columns);
  }

  private Tensor product(Tensor x, int[] from, int[] to, int size) {
    Tensor terms = new Gather(1, from).apply(x).mul(values.like(x));
    return new ScatterAdd(1, size, to).apply(terms);
  }

  /** Returns the sum of squares of each row, of shape [rows]. */
  Tensor rowSquares() {
    Tensor squares = values.exact().square();
    return squares.scatterAdd(0, rows, rowOf);
  }

  /** A builder that collects entries; several entries for one place add up. */
  public static final class Builder {
    private final int rows;
    private final int columns;
    private int[] rowOf = new int[16];
    private int[] columnOf = new int[16];
    private double[] values = new double[16];
    private int count;

    private Builder(int rows, int columns) {
      this.rows = rows;
      this.columns = columns;
    }

    /** Adds a number to the entry in a row and a column. */
    public Builder add(int row, int column, double value) {
      Check.that(
          row >= 0 && row < rows && column >= 0 && column < columns,
          "sparse matrix",
          "entry (%d, %d) is outside %d x %d",
          row,
          column,
          rows,
          columns);
      if (!Double.isFinite(value)) {
        throw new IllegalArgumentException(
            "[sparse matrix] entry (%d, %d) is %s: every number must be finite"
                .formatted(row, column, value));
      }
      if (count == values.length) {
        rowOf = Arrays.copyOf(rowOf, 2 * count);
        columnOf = Arrays.copyOf(columnOf, 2 * count);
        values = Arrays.copyOf(values, 2 * count);
      }
      rowOf[count] = row;
      columnOf[count] = column;
      values[count++] = value;
      return this;
    }

    /** Returns the matrix of the entries so far. */
    public SparseMatrix build() {
      return new SparseMatrix(this);
    }
  }

  @Override
  public String toString() {
    return "sparse matrix " + Shape.of(rows, columns) + " with " + rowOf.length + " entries";
  }
}
