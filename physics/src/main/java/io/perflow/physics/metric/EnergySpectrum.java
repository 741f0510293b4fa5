package io.perflow.physics.metric;

import io.perflow.tensor.Check;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Fourier;
import io.perflow.tensor.Tensor;

/**
 * The energy of periodic fields by wave number.
 *
 * <p>With û(k) = Σ u(x) exp(-2πi k·x) / N the energy ½ mean(u²) is ½ Σ |û(k)|² (Parseval), and
 * entry k of a spectrum is the part of that sum whose wave number rounds to k: summed over k, a
 * spectrum gives ½ mean(u²) exactly. The spectrum of a flow is the sum over its components.
 */
public final class EnergySpectrum {
  private EnergySpectrum() {}

  /**
   * Returns the energy in the shells |k| = 0, 1, 2, … of both axes, on a square domain.
   *
   * @param fields [batch, channels, height, width]
   * @return F64 [batch, channels, shells], the last shell holding the corner of the grid of modes;
   *     shells above half the grid are incomplete
   */
  public static Tensor isotropic(Tensor fields) {
    Check.rank("energy spectrum", "fields", fields, 4);
    int height = fields.dim(2);
    int width = fields.dim(3);
    int[] shell = new int[height * (width / 2 + 1)];
    int shells = 0;
    for (int i = 0; i < shell.length; i++) {
      int row = i / (width / 2 + 1);
      int column = i % (width / 2 + 1);
      shell[i] = (int) Math.round(Math.hypot(Math.min(row, height - row), column));
      shells = Math.max(shells, shell[i] + 1);
    }
    return collect(Fourier.rfft(fields.to(DataType.F64), 2), height * width, width, shell, shells);
  }

  /**
   * Returns the energy in the wave numbers 0, 1, … width/2 along the rows, averaged over the rows:
   * the spectrum of a field over time and space whose rows are times.
   *
   * @param fields [batch, channels, height, width]
   * @return F64 [batch, channels, width/2 + 1]
   */
  public static Tensor alongRows(Tensor fields) {
    Check.rank("energy spectrum", "fields", fields, 4);
    int height = fields.dim(2);
    int width = fields.dim(3);
    int[] shell = new int[height * (width / 2 + 1)];
    for (int i = 0; i < shell.length; i++) {
      shell[i] = i % (width / 2 + 1);
    }
    // Each row has its own transform, and the mean over rows divides by the height once more.
    double points = width * Math.sqrt(height);
    return collect(Fourier.rfft(fields.to(DataType.F64), 1), points, width, shell, width / 2 + 1);
  }

  // modes: (b, c, h, w/2 + 1, 2); all but the columns 0 and w/2 stand for two conjugate modes
  private static Tensor collect(Tensor modes, double points, int width, int[] shell, int shells) {
    int planes = modes.dim(0) * modes.dim(1);
    int columns = width / 2 + 1;
    double[] values = modes.toDoubles();
    double[] energy = new double[planes * shells];
    for (int p = 0; p < planes; p++) {
      for (int i = 0; i < shell.length; i++) {
        int at = 2 * (p * shell.length + i);
        double re = values[at] / points;
        double im = values[at + 1] / points;
        int column = i % columns;
        boolean single = column == 0 || 2 * column == width;
        energy[p * shells + shell[i]] += (single ? 0.5 : 1) * (re * re + im * im);
      }
    }
    return Tensor.of(energy, modes.dim(0), modes.dim(1), shells);
  }
}
