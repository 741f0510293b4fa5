package io.perflow.physics.solver;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class EtdRk4Test {
  /** phi_m(z) = sum over j of z^j / (j + m)!, summed where it does not cancel. */
  private static double series(int m, double z) {
    double term = 1;
    for (int i = 2; i <= m; i++) {
      term /= i;
    }
    double sum = 0;
    for (int j = 0; j < 60; j++) {
      sum += term;
      term *= z / (j + m + 1);
    }
    return sum;
  }

  @Test
  void phiFunctionsAgreeWithTheirSeriesWhereTheClosedFormCancels() {
    for (double z : new double[] {0, -1e-8, -1e-3, -0.3, -0.999, -1, -1.001, -2, 1, 0.5}) {
      double[] phi = EtdRk4.phi(z);
      for (int m = 1; m <= 3; m++) {
        assertEquals(series(m, z), phi[m - 1], 2e-14, "phi" + m + "(" + z + ")");
      }
    }
  }

  @Test
  void phiFunctionsAgreeWithTheirClosedFormFarFromZero() {
    for (double z : new double[] {-10, -50, -1000}) {
      double phi1 = Math.expm1(z) / z;
      double phi2 = (phi1 - 1) / z;
      double phi3 = (phi2 - 0.5) / z;
      double[] phi = EtdRk4.phi(z);
      assertEquals(phi1, phi[0], 1e-15);
      assertEquals(phi2, phi[1], 1e-15);
      assertEquals(phi3, phi[2], 1e-15);
    }
  }

  /** The weights are consistent: with L = 0 they are those of the classical scheme. */
  @Test
  void withoutALinearPartItIsTheClassicalRungeKuttaScheme() {
    EtdRk4 scheme = EtdRk4.of(new double[] {0}, 0.5);
    assertEquals(0.5 / 2, scheme.q()[0], 1e-15);
    assertEquals(0.5 / 6, scheme.f1()[0], 1e-15);
    assertEquals(0.5 / 3, scheme.f2()[0], 1e-15);
    assertEquals(0.5 / 6, scheme.f3()[0], 1e-15);
    assertEquals(1, scheme.e()[0]);
  }
}
