package io.perflow.cuda.driver;

import static jcuda.jcufft.JCufft.CUFFT_FORWARD;
import static jcuda.jcufft.JCufft.CUFFT_INVERSE;
import static jcuda.jcufft.JCufft.cufftDestroy;
import static jcuda.jcufft.JCufft.cufftExecC2C;
import static jcuda.jcufft.JCufft.cufftExecC2R;
import static jcuda.jcufft.JCufft.cufftExecD2Z;
import static jcuda.jcufft.JCufft.cufftExecR2C;
import static jcuda.jcufft.JCufft.cufftExecZ2D;
import static jcuda.jcufft.JCufft.cufftExecZ2Z;
import static jcuda.jcufft.JCufft.cufftPlanMany;
import static jcuda.jcufft.JCufft.cufftSetStream;

import io.perflow.cuda.driver.NvidiaLibrary.Address;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import jcuda.Pointer;
import jcuda.driver.CUstream;
import jcuda.jcufft.JCufft;
import jcuda.jcufft.cufftHandle;
import jcuda.jcufft.cufftResult;
import jcuda.jcufft.cufftType;
import jcuda.runtime.cudaStream_t;

/**
 * The library cuFFT 10, which belongs to CUDA 11, through JCufft. It cannot be tried without a GPU:
 * of this class, only the search for the library has been run.
 */
final class Cufft implements Fft {
  private static final NvidiaLibrary LIBRARY =
      new NvidiaLibrary("cuFFT", "libcufft.so.10", "jcufft", "Fourier transforms");

  private record Plan(cufftHandle handle, int type) {}

  private final LongFunction<CUstream> streams;
  private final Map<Long, Plan> plans = new ConcurrentHashMap<>();
  private final AtomicLong planned = new AtomicLong();

  private Cufft(LongFunction<CUstream> streams) {
    this.streams = streams;
    JCudaNatives.load(() -> JCufft.setExceptionsEnabled(false));
  }

  /**
   * Loads the library for the current context.
   *
   * @param streams the driver's stream of a handle
   * @throws IllegalStateException when it is not there, in one line
   */
  static Cufft load(LongFunction<CUstream> streams) {
    return LIBRARY.open(() -> new Cufft(streams));
  }

  @Override
  public long plan(Kind kind, boolean doubles, int[] sizes, int count) {
    int[] half = sizes.clone();
    half[half.length - 1] = half[half.length - 1] / 2 + 1;
    int[] from = kind == Kind.HALF_TO_REAL ? half : sizes;
    int[] to = kind == Kind.REAL_TO_HALF ? half : sizes;
    Plan plan = new Plan(new cufftHandle(), type(kind, doubles));
    check(
        "cufftPlanMany",
        cufftPlanMany(
            plan.handle,
            sizes.length,
            sizes,
            from,
            1,
            product(from),
            to,
            1,
            product(to),
            plan.type,
            count));
    long id = planned.incrementAndGet();
    plans.put(id, plan);
    return id;
  }

  private static int product(int[] sizes) {
    return Arrays.stream(sizes).reduce(1, Math::multiplyExact);
  }

  private static int type(Kind kind, boolean doubles) {
    return switch (kind) {
      case COMPLEX -> doubles ? cufftType.CUFFT_Z2Z : cufftType.CUFFT_C2C;
      case REAL_TO_HALF -> doubles ? cufftType.CUFFT_D2Z : cufftType.CUFFT_R2C;
      case HALF_TO_REAL -> doubles ? cufftType.CUFFT_Z2D : cufftType.CUFFT_C2R;
    };
  }

  @Override
  public void transform(long plan, long from, long to, boolean inverse, long stream) {
    Plan p = plans.get(plan);
    Pointer in = new Address(from);
    Pointer out = new Address(to);
    int direction = inverse ? CUFFT_INVERSE : CUFFT_FORWARD;
    check("cufftSetStream", cufftSetStream(p.handle, new cudaStream_t(streams.apply(stream))));
    switch (p.type) {
      case cufftType.CUFFT_C2C -> check("cufftExecC2C", cufftExecC2C(p.handle, in, out, direction));
      case cufftType.CUFFT_Z2Z -> check("cufftExecZ2Z", cufftExecZ2Z(p.handle, in, out, direction));
      case cufftType.CUFFT_R2C -> check("cufftExecR2C", cufftExecR2C(p.handle, in, out));
      case cufftType.CUFFT_D2Z -> check("cufftExecD2Z", cufftExecD2Z(p.handle, in, out));
      case cufftType.CUFFT_C2R -> check("cufftExecC2R", cufftExecC2R(p.handle, in, out));
      default -> check("cufftExecZ2D", cufftExecZ2D(p.handle, in, out));
    }
  }

  @Override
  public void destroy(long plan) {
    check("cufftDestroy", cufftDestroy(plans.remove(plan).handle));
  }

  private static void check(String call, int result) {
    if (result != cufftResult.CUFFT_SUCCESS) {
      throw new CudaException(result, cufftResult.stringFor(result), call, "");
    }
  }
}
