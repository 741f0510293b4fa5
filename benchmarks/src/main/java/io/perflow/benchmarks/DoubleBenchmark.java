package io.perflow.benchmarks;

import io.perflow.tensor.Cholesky;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Scope;
import io.perflow.tensor.Tensor;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.CommonOps_DDRM;
import org.ejml.dense.row.factory.LinearSolverFactory_DDRM;
import org.ejml.interfaces.linsol.LinearSolverDense;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * The benchmark of linear algebra in double precision on one thread, with EJML as the baseline:
 * products, Cholesky factorizations, and solutions for one and for {@link #MANY} right-hand sides.
 * Products in F32 are measured too, because half of their speed is the goal.
 */
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
public class DoubleBenchmark extends OpBenchmark {
  private static final int MANY = 100;

  /** The number of rows and columns. */
  @Param({"100", "500", "1000", "2000"})
  public int size;

  private Tensor single;
  private Tensor a; // symmetric positive definite
  private Tensor column;
  private Tensor columns;
  private Cholesky factor;
  private DMatrixRMaj matrix;
  private DMatrixRMaj vector;
  private DMatrixRMaj vectors;
  private LinearSolverDense<DMatrixRMaj> solver;

  /** Creates the state; JMH calls it. */
  public DoubleBenchmark() {}

  /** Draws a matrix and factorizes it. */
  @Setup
  public void draw() {
    useThreads();
    single = normal(size, size);
    Tensor x = single.to(DataType.F64);
    double[] square = x.matmul(x.transpose()).toDoubles();
    for (int i = 0; i < size; i++) {
      square[i * (size + 1)] += size;
    }
    a = Tensor.of(square, size, size);
    column = normal(size, 1).to(DataType.F64);
    columns = normal(size, MANY).to(DataType.F64);
    factor = Cholesky.of(a);
    matrix = new DMatrixRMaj(size, size, true, a.toDoubles());
    vector = new DMatrixRMaj(size, 1, true, column.toDoubles());
    vectors = new DMatrixRMaj(size, MANY, true, columns.toDoubles());
    solver = LinearSolverFactory_DDRM.chol(size);
    solver.setA(matrix.copy());
  }

  private double cube() {
    return 1e-9 * size * size * size;
  }

  private double solve(int count) {
    return 2e-9 * size * size * count;
  }

  /** Measures a product in F32. */
  @Benchmark
  public void productF32(Work work, Blackhole hole) {
    try (Scope _ = Scope.open()) {
      hole.consume(single.matmul(single));
    }
    work.gflop += 2 * cube();
  }

  /** Measures a product. */
  @Benchmark
  public void product(Work work, Blackhole hole) {
    try (Scope _ = Scope.open()) {
      hole.consume(a.matmul(a));
    }
    work.gflop += 2 * cube();
  }

  /** Measures a product by EJML. */
  @Benchmark
  public void productEjml(Work work, Blackhole hole) {
    hole.consume(CommonOps_DDRM.mult(matrix, matrix, null));
    work.gflop += 2 * cube();
  }

  /** Measures a factorization. */
  @Benchmark
  public void cholesky(Work work, Blackhole hole) {
    try (Scope _ = Scope.open()) {
      hole.consume(Cholesky.of(a));
    }
    work.gflop += cube() / 3;
  }

  /** Measures a factorization by EJML, which copies the matrix first as ours does. */
  @Benchmark
  public void choleskyEjml(Work work, Blackhole hole) {
    LinearSolverDense<DMatrixRMaj> fresh = LinearSolverFactory_DDRM.chol(size);
    fresh.setA(matrix.copy());
    hole.consume(fresh);
    work.gflop += cube() / 3;
  }

  /** Measures a solution for one right-hand side. */
  @Benchmark
  public void solveOne(Work work, Blackhole hole) {
    try (Scope _ = Scope.open()) {
      hole.consume(factor.solve(column));
    }
    work.gflop += solve(1);
  }

  /** Measures a solution for one right-hand side by EJML. */
  @Benchmark
  public void solveOneEjml(Work work, Blackhole hole) {
    DMatrixRMaj x = new DMatrixRMaj(size, 1);
    solver.solve(vector, x);
    hole.consume(x);
    work.gflop += solve(1);
  }

  /** Measures solutions for many right-hand sides. */
  @Benchmark
  public void solveMany(Work work, Blackhole hole) {
    try (Scope _ = Scope.open()) {
      hole.consume(factor.solve(columns));
    }
    work.gflop += solve(MANY);
  }

  /** Measures solutions for many right-hand sides by EJML. */
  @Benchmark
  public void solveManyEjml(Work work, Blackhole hole) {
    DMatrixRMaj x = new DMatrixRMaj(size, MANY);
    solver.solve(vectors, x);
    hole.consume(x);
    work.gflop += solve(MANY);
  }
}
