package io.perflow.nn.optim;

import static io.perflow.fixtures.Close.assertClose;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.perflow.autograd.Tape;
import io.perflow.nn.Parameter;
import io.perflow.tensor.DataType;
import io.perflow.tensor.Device;
import io.perflow.tensor.Rng;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MuonTest {
  private static Tensor normal(long seed, int... dims) {
    return Rng.of(seed).normal(Device.cpu(), Shape.of(dims), DataType.F64);
  }

  // columns that are orthonormal, by Gram and Schmidt
  private static double[][] orthonormal(long seed, int n, int count) {
    double[] all = normal(seed, count, n).toDoubles();
    double[][] rows = new double[count][n];
    for (int i = 0; i < count; i++) {
      System.arraycopy(all, i * n, rows[i], 0, n);
      for (int pass = 0; pass < 2; pass++) {
        for (int j = 0; j < i; j++) {
          double dot = dot(rows[i], rows[j]);
          for (int k = 0; k < n; k++) {
            rows[i][k] -= dot * rows[j][k];
          }
        }
      }
      double norm = Math.sqrt(dot(rows[i], rows[i]));
      for (int k = 0; k < n; k++) {
        rows[i][k] /= norm;
      }
    }
    return rows;
  }

  private static double dot(double[] a, double[] b) {
    double sum = 0;
    for (int i = 0; i < a.length; i++) {
      sum += a[i] * b[i];
    }
    return sum;
  }

  @ParameterizedTest
  @CsvSource({"20, 50", "50, 20", "32, 32"})
  void singularVectorsStayAndSingularValuesMoveNearOne(int m, int n) {
    int count = Math.min(m, n);
    double[][] u = orthonormal(1, m, count);
    double[][] v = orthonormal(2, n, count);
    double[] matrix = new double[m * n];
    for (int k = 0; k < count; k++) {
      double singular = Math.pow(10, -1.5 * k / count); // a hundred times the norm of the smallest
      for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
          matrix[i * n + j] += singular * u[k][i] * v[k][j];
        }
      }
    }
    double[] x = Muon.orthogonal(Tensor.of(matrix, m, n)).toDoubles();
    for (int k = 0; k < count; k++) {
      for (int l = 0; l < count; l++) {
        double entry = 0;
        for (int i = 0; i < m; i++) {
          for (int j = 0; j < n; j++) {
            entry += u[k][i] * x[i * n + j] * v[l][j];
          }
        }
        if (k == l) {
          assertTrue(entry > 0.6 && entry < 1.3, "singular value %d became %s".formatted(k, entry));
        } else {
          assertEquals(0, entry, 1e-9, "singular vectors %d and %d were mixed".formatted(k, l));
        }
      }
    }
  }

  private static Map<String, Parameter> parameters() {
    Map<String, Parameter> made = new LinkedHashMap<>();
    made.put("conv", new Parameter("conv", normal(3, 16, 4, 3, 3)));
    made.put("bias", new Parameter("bias", normal(4, 16)));
    made.put("narrow", new Parameter("narrow", normal(5, 3, 40)));
    return made;
  }

  private static void step(Optimizer optimizer, Map<String, Parameter> parameters) {
    Tensor[] values = parameters.values().stream().map(Parameter::value).toArray(Tensor[]::new);
    try (Tape tape = Tape.watching(values)) {
      Tensor loss = null;
      for (Tensor value : values) {
        Tensor part = value.sub(1).square().sum();
        loss = loss == null ? part : loss.add(part);
      }
      optimizer.step(tape.gradients(loss));
    }
  }

  @Test
  void aFirstStepIsTheOrthogonalGradientAndVectorsFollowAdamW() {
    Map<String, Parameter> ours = parameters();
    Map<String, Parameter> adams = parameters();
    Tensor before = ours.get("conv").value().mul(1);
    step(Muon.of(0.01).weightDecay(0.1).build(ours), ours);
    step(AdamW.of(0.01).weightDecay(0.1).build(adams), adams);
    for (String name : new String[] {"bias", "narrow"}) {
      assertArrayEquals(
          adams.get(name).value().toDoubles(), ours.get(name).value().toDoubles(), name);
    }
    Tensor gradient = before.sub(1).mul(2).reshape(16, 36);
    Tensor step = Muon.orthogonal(gradient).mul(0.01 * 0.2 * 6).reshape(16, 4, 3, 3);
    assertClose("conv", before.mul(1 - 0.01 * 0.1).sub(step), ours.get("conv").value(), 1e-9);
    // as large as a step of Adam: 0.2 of the rate, root mean square
    assertEquals(0.2 * 0.01, step.square().mean().sqrt().item(), 0.3 * 0.2 * 0.01);
  }

  @Test
  void aRestoredRunGoesOnAsIfItHadNotStopped() {
    Map<String, Parameter> whole = parameters();
    Optimizer straight = Muon.of(0.02).build(whole);
    for (int i = 0; i < 4; i++) {
      step(straight, whole);
    }
    Map<String, Parameter> parts = parameters();
    Optimizer first = Muon.of(0.02).build(parts);
    step(first, parts);
    step(first, parts);
    Optimizer second = Muon.of(0.02).build(parts);
    second.restore(first.steps(), first.state());
    step(second, parts);
    step(second, parts);
    whole.forEach(
        (name, p) ->
            assertArrayEquals(p.value().toDoubles(), parts.get(name).value().toDoubles(), name));
  }

  @Test
  void theLossFalls() {
    Map<String, Parameter> parameters = parameters();
    Optimizer muon = Muon.of(0.15).build(parameters);
    Tensor conv = parameters.get("conv").value();
    double before = conv.sub(1).square().mean().item();
    for (int i = 0; i < 100; i++) {
      step(muon, parameters);
    }
    double after = parameters.get("conv").value().sub(1).square().mean().item();
    assertTrue(after < 0.2 * before, "from %.3g to %.3g".formatted(before, after));
  }
}
