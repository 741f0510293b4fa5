package io.perflow.physics.solver;

import io.perflow.physics.equation.Equation;
import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The Navier-Stokes equations as a map: the vorticity of the first frame, at the points of the
 * stored grid, determines the velocities of all frames. Its mean is ignored, and so are frequencies
 * that the stored grid or the steps cannot resolve, together with their effect on later frames.
 *
 * @param flow the steps; the distribution of its initial vorticity and its sensors are ignored
 */
record NavierStokesEquation(NavierStokes flow) implements Equation {
  // The number of flows or changes at a time; each takes about 10 numbers for a point of the fine
  // grid.
  private static final int CHUNK = 16;

  /**
   * Replaces the parts on which the equation does not depend by fixed values, so that equal
   * equations are equal.
   */
  NavierStokesEquation {
    double step = flow.time() / flow.frames() / flow.stepsPerFrame();
    flow =
        NavierStokes.standard()
            .grid(flow.grid(), flow.size())
            .times(flow.frames(), flow.time())
            .step(step)
            .fluid(flow.viscosity(), flow.forcing())
            .storage(flow.storage());
  }

  @Override
  public Shape shape() {
    return Shape.of(1, 2 * flow.frames(), flow.size(), flow.size());
  }

  @Override
  public int causes() {
    return flow.size() * flow.size();
  }

  /** Returns v_x - u_y of the first frame, by Fourier transforms. */
  @Override
  public Tensor cause(Tensor fields) {
    int count = fields.dim(0);
    int size = flow.size();
    int bins = size / 2 + 1;
    int plane = count * size * bins; // from real to imaginary parts
    RealFourier fourier = new RealFourier(count, size, size);
    double[] u = fourier.forward(fields.select(1, 0).toDoubles());
    double[] v = fourier.forward(fields.select(1, flow.frames()).toDoubles());
    double[] w = new double[2 * plane];
    int highest = VorticitySteps.stored(flow);
    for (int field = 0; field < count; field++) {
      for (int kx = -highest; kx <= highest; kx++) {
        int row = (field * size + Math.floorMod(kx, size)) * bins;
        for (int ky = 0; ky <= highest; ky++) {
          int at = row + ky;
          w[at] = -2 * Math.PI * (kx * v[plane + at] - ky * u[plane + at]);
          w[plane + at] = 2 * Math.PI * (kx * v[at] - ky * u[at]);
        }
      }
    }
    return Tensor.of(fourier.inverse(w), count, causes());
  }

  @Override
  public Tensor fields(Tensor causes) {
    double[] w = causes.toDoubles();
    int count = causes.dim(0);
    double[] all = new double[count * shape().size()];
    for (int from = 0; from < count; from += CHUNK) {
      int to = Math.min(count, from + CHUNK);
      double[] own = Arrays.copyOfRange(w, from * causes(), to * causes());
      run(VorticitySteps.ofStored(flow, own), to - from, 0, all, from);
    }
    return Tensor.of(all, shape().with(0, count).toArray());
  }

  /**
   * Computes each chunk of directions together with the flow, so that no stage needs to be kept.
   */
  @Override
  public Tensor tangent(Tensor cause, Tensor directions) {
    double[] w = cause.toDoubles();
    double[] changes = directions.toDoubles();
    int count = directions.dim(0);
    double[] all = new double[count * shape().size()];
    for (int from = 0; from < count; from += CHUNK) {
      int to = Math.min(count, from + CHUNK);
      double[] own = Arrays.copyOf(w, (1 + to - from) * causes());
      System.arraycopy(changes, from * causes(), own, causes(), (to - from) * causes());
      run(VorticitySteps.along(flow, own), 1 + to - from, 1, all, from);
    }
    return Tensor.of(all, shape().with(0, count).toArray());
  }

  // Returns the frames of the fields of some steps, except for the first few fields.
  private void run(VorticitySteps steps, int fields, int but, double[] all, int at) {
    int area = causes();
    for (int frame = 0; frame < flow.frames(); frame++) {
      for (int step = 0; step < flow.stepsPerFrame() && frame > 0; step++) {
        steps.advance();
      }
      double[] velocity = steps.velocity(); // u of all fields, then v
      for (int field = but; field < fields; field++) {
        int to = ((at + field - but) * 2 * flow.frames() + frame) * area;
        System.arraycopy(velocity, field * area, all, to, area);
        int beside = to + flow.frames() * area;
        System.arraycopy(velocity, (fields + field) * area, all, beside, area);
      }
    }
  }

  @Override
  public Map<String, Object> parameters() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("equation", "ns");
    map.put("grid", flow.grid());
    map.put("size", flow.size());
    map.put("frames", flow.frames());
    map.put("time", flow.time());
    map.put("step", flow.step());
    map.put("viscosity", flow.viscosity());
    map.put("forcing", flow.forcing());
    map.put("storage", flow.storage().name().toLowerCase(Locale.ROOT));
    return map;
  }
}
