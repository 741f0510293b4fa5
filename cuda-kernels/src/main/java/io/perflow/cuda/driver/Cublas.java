package io.perflow.cuda.driver;

import static jcuda.jcublas.JCublas2.cublasCreate;
import static jcuda.jcublas.JCublas2.cublasDgemmStridedBatched;
import static jcuda.jcublas.JCublas2.cublasSetStream;
import static jcuda.jcublas.JCublas2.cublasSgemmStridedBatched;

import io.perflow.cuda.driver.NvidiaLibrary.Address;
import java.util.function.LongFunction;
import jcuda.Pointer;
import jcuda.driver.CUstream;
import jcuda.jcublas.JCublas2;
import jcuda.jcublas.cublasHandle;
import jcuda.jcublas.cublasOperation;
import jcuda.jcublas.cublasStatus;
import jcuda.runtime.cudaStream_t;

/**
 * The library cuBLAS 11 through JCublas. It cannot be tried without a GPU: beyond loading, nothing
 * of this class has run.
 */
final class Cublas implements Blas {
  private static final NvidiaLibrary LIBRARY =
      new NvidiaLibrary("cuBLAS", "libcublas.so.11", "jcublas", "products");

  private final cublasHandle handle = new cublasHandle();
  private final LongFunction<CUstream> streams;

  private Cublas(LongFunction<CUstream> streams) {
    this.streams = streams;
    JCudaNatives.load(() -> JCublas2.setExceptionsEnabled(false));
    check("cublasCreate", cublasCreate(handle));
  }

  /**
   * Loads the library for the current context.
   *
   * @param streams the driver's stream of a handle
   * @throws IllegalStateException when it is not there or does not start, in one line
   */
  static Cublas load(LongFunction<CUstream> streams) {
    return LIBRARY.open(() -> new Cublas(streams));
  }

  @Override
  public void multiply(
      boolean doubles,
      int m,
      int n,
      int k,
      double factor,
      Matrix a,
      Matrix b,
      Matrix c,
      int count,
      long stream) {
    check("cublasSetStream", cublasSetStream(handle, new cudaStream_t(streams.apply(stream))));
    Pointer alpha = doubles ? Pointer.to(new double[] {factor}) : one((float) factor);
    Pointer beta = doubles ? Pointer.to(new double[1]) : one(0);
    Pointer atA = new Address(a.address());
    Pointer atB = new Address(b.address());
    Pointer atC = new Address(c.address());
    int opA = operation(a);
    int opB = operation(b);
    if (doubles) {
      check(
          "cublasDgemmStridedBatched",
          cublasDgemmStridedBatched(
              handle,
              opA,
              opB,
              m,
              n,
              k,
              alpha,
              atA,
              a.pitch(),
              a.stride(),
              atB,
              b.pitch(),
              b.stride(),
              beta,
              atC,
              c.pitch(),
              c.stride(),
              count));
    } else {
      check(
          "cublasSgemmStridedBatched",
          cublasSgemmStridedBatched(
              handle,
              opA,
              opB,
              m,
              n,
              k,
              alpha,
              atA,
              a.pitch(),
              a.stride(),
              atB,
              b.pitch(),
              b.stride(),
              beta,
              atC,
              c.pitch(),
              c.stride(),
              count));
    }
  }

  private static Pointer one(float value) {
    return Pointer.to(new float[] {value});
  }

  private static int operation(Matrix matrix) {
    return matrix.transposed() ? cublasOperation.CUBLAS_OP_T : cublasOperation.CUBLAS_OP_N;
  }

  private static void check(String call, int status) {
    if (status != cublasStatus.CUBLAS_STATUS_SUCCESS) {
      throw new CudaException(status, cublasStatus.stringFor(status), call, "");
    }
  }
}
