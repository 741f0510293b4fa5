package io.perflow.physics.constraint;

import io.perflow.tensor.Fourier;
import io.perflow.tensor.Tensor;

/**
 * The pressure on a rectangle without obstacles, by a Fourier transform along periodic axes and a
 * cosine transform between walls: both turn D Dᵀ, the five-point Laplacian, into products.
 */
final class TransformedPressure implements Pressure {
  private final Faces faces;
  private final Constant inverse; // of D Dᵀ: [height, width] or [height, width / 2 + 1, 1]
  private final TransformedPressure turned; // with the axes exchanged; null when it is not needed

  TransformedPressure(Faces faces) {
    this.faces = faces;
    boolean turn = faces.rows().periodic() && !faces.columns().periodic();
    turned = turn ? new TransformedPressure(faces.turned()) : null;
    inverse = turn ? null : Constant.of(inverse());
  }

  private Tensor inverse() {
    int height = faces.rows().cells();
    int width = faces.columns().cells();
    boolean half = faces.columns().periodic();
    int modes = half ? width / 2 + 1 : width;
    double[] inverse = new double[height * modes];
    for (int i = 1; i < inverse.length; i++) { // the mean pressure is 0
      inverse[i] = 1 / (faces.rows().eigenvalue(i / modes) + faces.columns().eigenvalue(i % modes));
    }
    return half ? Tensor.of(inverse, height, modes, 1) : Tensor.of(inverse, height, modes);
  }

  @Override
  public Tensor of(Tensor divergence) {
    if (turned != null) {
      return turned.of(divergence.transpose()).transpose();
    }
    Tensor modes = faces.rows().periodic() ? divergence : Fourier.dct2(divergence, 2);
    Tensor solved = faces.columns().periodic() ? waves(modes) : cosines(modes);
    return faces.rows().periodic() ? solved : Fourier.idct2(solved, 2);
  }

  private Tensor cosines(Tensor modes) {
    return Fourier.idct2(Fourier.dct2(modes, 3).mul(inverse.like(modes)), 3);
  }

  private Tensor waves(Tensor modes) {
    int height = modes.dim(2);
    int width = modes.dim(3);
    int[] sizes = faces.rows().periodic() ? new int[] {height, width} : new int[] {width};
    Tensor spectrum = Fourier.rfft(modes, sizes.length).mul(inverse.like(modes));
    return Fourier.irfft(spectrum, sizes);
  }
}
