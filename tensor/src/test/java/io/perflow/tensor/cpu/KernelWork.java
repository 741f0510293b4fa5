package io.perflow.tensor.cpu;

import io.perflow.fixtures.Arrangement;
import io.perflow.fixtures.BackendCases;
import io.perflow.fixtures.OpCase;
import io.perflow.fixtures.OpCases;
import io.perflow.tensor.Cholesky;
import io.perflow.tensor.Conv2dSpec;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Fourier;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Settings;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.AdamSpec;
import io.perflow.tensor.backend.ConvKernels;
import io.perflow.tensor.backend.NormedImages;
import io.perflow.tensor.op.GroupNormSpec;
import io.perflow.tensor.op.UnaryKind;

/**
 * A program that calls every vector kernel until it has been compiled; a test inspects its process.
 */
final class KernelWork {
  private static final int ROUNDS = 60;

  private KernelWork() {}

  public static void main(String[] args) {
    Settings.threads(1);
    BackendCases cases = new BackendCases(Device.cpu());
    for (int round = 0; round < ROUNDS; round++) {
      for (OpCase each : OpCases.all()) {
        OpCase here = each.map(t -> t.to(Device.cpu()));
        here.op().apply(here.inputs());
        here.op().apply(here.map(t -> t.to(DataType.F32)).inputs());
      }
      for (UnaryKind kind : UnaryKind.values()) {
        cases.unary(kind, 130, Arrangement.CONTIGUOUS, 1);
      }
      for (Arrangement arrangement : Arrangement.values()) {
        cases.reductions(5, 34, 37, 1 + round % 7, arrangement, 1);
        cases.matmul(1, 29, 20, 70, arrangement, 1);
        cases.fourier(1, 24, 40, arrangement, 1);
      }
      Conv2dSpec same = Conv2dSpec.of(1, 1);
      cases.convolution(1, 16, 32, 12, 12, 3, same, Arrangement.CONTIGUOUS, 1);
      cases.convolution(1, 32, 1, 12, 12, 3, same, Arrangement.CONTIGUOUS, 1);
      cases.convolution(1, 16, 32, 6, 6, 3, same.upsampling(2), Arrangement.CONTIGUOUS, 1);
      cases.convolution(1, 3, 16, 12, 12, 3, Conv2dSpec.of(2, 1), Arrangement.CONTIGUOUS, 1);
      cases.convolution(1, 32, 32, 8, 8, 1, Conv2dSpec.of(1, 0), Arrangement.CONTIGUOUS, 1);
      cases.attention(2, 70, 40, 16, Arrangement.CONTIGUOUS, 1);
      cases.images(1, 2, 16, 10, 12, true, Arrangement.CONTIGUOUS, 1);
      normedConvolutions();
      for (DataType type : new DataType[] {DataType.F32, DataType.F64}) {
        others(type);
      }
    }
  }

  // a network's kernels that no operation of this module calls
  private static void normedConvolutions() {
    Tensor[] x = {normal("x", 1, 16, 9, 12), normal("skip", 1, 20, 9, 12)};
    Tensor gain = normal("gain", 36);
    Tensor scale = normal("scale", 1, 36);
    GroupNormSpec spec = new GroupNormSpec(4, 1e-5, true, true, true);
    NormedImages images = new NormedImages(x, gain, gain, scale, scale, spec);
    Tensor weight = normal("weight", 32, 36, 3, 3);
    Conv2dSpec same = Conv2dSpec.of(1, 1);
    ConvKernels kernels = Device.cpu().backend().conv();
    Tensor[] y = kernels.normedConv2d(images, weight, null, null, same);
    kernels.normedConv2dBackward(y[0], images, y[1], y[2], weight, same);
    kernels.normedConv2dBackwardWeight(y[0], images, y[1], y[2], same, weight.shape());
    kernels.joinedConv2d(x, normal("joined", 32, 36, 1, 1), null, Conv2dSpec.of(1, 0));
  }

  // what no list has at a size worth a vector
  private static void others(DataType type) {
    Tensor a = normal("a", 70, 72).to(type);
    Tensor one = normal("one", 1, 70).to(type);
    a.matmul(a.transpose());
    one.matmul(a);
    a.matmul(normal("column", 72, 1).to(type));
    if (type == DataType.F64) {
      Cholesky.of(a.matmul(a.transpose())).solve(normal("side", 70, 1).to(type));
    }
    Fourier.ifft(Fourier.fft(normal("z", 24, 40, 2).to(type), 2), 2);
    Tensor z = normal("pairs", 100, 100, 2).to(type);
    Fourier.complexMul(z, z);
    Tensor p = normal("p", 20_000).to(type);
    AdamSpec spec = new AdamSpec(1e-3, 0.9, 0.99, 1e-8, 0.01, true, 1, 1);
    Device.cpu().backend().optimizer().adam(p, p.mul(2), p.mul(0), p.mul(0), spec);
  }

  private static Tensor normal(String name, int... shape) {
    return Rng.of(1).split(name).normal(Shape.of(shape));
  }
}
