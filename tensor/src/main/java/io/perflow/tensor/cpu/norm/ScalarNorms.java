package io.perflow.tensor.cpu.norm;

import io.perflow.tensor.Shape;
import io.perflow.tensor.Tensor;
import io.perflow.tensor.backend.NormKernels;
import io.perflow.tensor.cpu.loop.Parallel;
import io.perflow.tensor.cpu.memory.Doubles;
import io.perflow.tensor.cpu.memory.Fresh;
import io.perflow.tensor.op.GroupNormSpec;
import io.perflow.tensor.op.UnaryKind;
import java.util.ArrayList;
import java.util.List;

/**
 * Group normalisation with what follows it. For element x of channel c of image n, whose group has
 * mean m and r = 1 / sqrt(variance + eps):
 *
 * <pre>
 * normal = (x - m) r,  z = normal weight(c) + bias(c),
 * t = z (1 + scale(n, c)) + shift(n, c),  y = silu(t) or t
 * </pre>
 */
public class ScalarNorms implements NormKernels {
  /** The affine map of one channel of one image, identity where the spec leaves a part out. */
  private record Channel(double weight, double bias, double gain, double shift) {
    double z(double normal) {
      return normal * weight + bias;
    }

    double t(double normal) {
      return z(normal) * gain + shift;
    }
  }

  /** Weight, bias (c) and scale, shift (n, c) as arrays; parts left out are never read. */
  private record Maps(
      GroupNormSpec spec,
      int channels,
      double[] weight,
      double[] bias,
      double[] scale,
      double[] shift) {
    /** Of channel nc = n channels + c. */
    Channel of(int nc) {
      int c = nc % channels;
      return new Channel(
          spec.affine() ? weight[c] : 1,
          spec.affine() ? bias[c] : 0,
          spec.modulated() ? 1 + scale[nc] : 1,
          spec.modulated() ? shift[nc] : 0);
    }

    /** The gradient before the activation of t. */
    double throughActivation(double dy, double t) {
      return spec.silu() ? dy * UnaryKind.SILU_GRAD.apply(t) : dy;
    }
  }

  /** The result, mean and r. */
  @Override
  public Tensor[] groupNorm(
      Tensor x, Tensor weight, Tensor bias, Tensor scale, Tensor shift, GroupNormSpec spec) {
    Tensor y = Fresh.like(x, x.shape());
    Tensor mean = Fresh.like(x, Shape.of(x.dim(0), spec.groups()));
    Tensor rstd = Fresh.like(x, mean.shape());
    int c = x.dim(1);
    int perGroup = c / spec.groups();
    int pixels = pixels(x.shape());
    int count = perGroup * pixels; // elements of a group, which lie together
    try (Doubles ws = Doubles.ofNullable(weight);
        Doubles bs = Doubles.ofNullable(bias);
        Doubles gs = Doubles.ofNullable(scale);
        Doubles ss = Doubles.ofNullable(shift);
        Doubles xs = Doubles.of(x);
        Doubles ys = Doubles.into(y);
        Doubles means = Doubles.into(mean);
        Doubles rstds = Doubles.into(rstd)) {
      Maps maps = new Maps(spec, c, ws.data, bs.data, gs.data, ss.data);
      Parallel.run(
          mean.size(),
          group -> {
            double m = mean(xs.data, group * count, count);
            double r = 1 / Math.sqrt(variance(xs.data, group * count, count, m) + spec.eps());
            means.data[group] = m;
            rstds.data[group] = r;
            for (int nc = group * perGroup; nc < (group + 1) * perGroup; nc++) {
              Channel map = maps.of(nc);
              for (int i = nc * pixels; i < (nc + 1) * pixels; i++) {
                double t = map.t((xs.data[i] - m) * r);
                ys.data[i] = spec.silu() ? UnaryKind.SILU.apply(t) : t;
              }
            }
          });
    }
    return new Tensor[] {y, mean, rstd};
  }

  private static int pixels(Shape x) {
    int pixels = 1;
    for (int a = 2; a < x.rank(); a++) {
      pixels *= x.dim(a);
    }
    return pixels;
  }

  private static double mean(double[] x, int at, int count) {
    double sum = 0;
    for (int i = at; i < at + count; i++) {
      sum += x[i];
    }
    return sum / count;
  }

  private static double variance(double[] x, int at, int count, double mean) {
    double sum = 0;
    for (int i = at; i < at + count; i++) {
      sum += (x[i] - mean) * (x[i] - mean);
    }
    return sum / count;
  }

  /**
   * The gradients. With g = dy silu'(t), or dy, those of shift and scale are the sums of g and g z
   * over the pixels of a channel; those of bias and weight the sums of g (1 + scale) and g (1 +
   * scale) normal over the images too. With e = g (1 + scale) weight and means over the group,
   *
   * <pre>dx = r (e - mean(e) - normal mean(e normal)).</pre>
   */
  @Override
  public Tensor[] groupNormBackward(
      Tensor dy,
      Tensor x,
      Tensor weight,
      Tensor bias,
      Tensor scale,
      Tensor shift,
      Tensor mean,
      Tensor rstd,
      GroupNormSpec spec) {
    Tensor dx = Fresh.like(x, x.shape());
    Sums sums = new Sums(x.dim(0), x.dim(1));
    try (Doubles ws = Doubles.ofNullable(weight);
        Doubles bs = Doubles.ofNullable(bias);
        Doubles gs = Doubles.ofNullable(scale);
        Doubles ss = Doubles.ofNullable(shift);
        Doubles xs = Doubles.of(x);
        Doubles dys = Doubles.of(dy);
        Doubles means = Doubles.of(mean);
        Doubles rstds = Doubles.of(rstd);
        Doubles dxs = Doubles.into(dx)) {
      Maps maps = new Maps(spec, x.dim(1), ws.data, bs.data, gs.data, ss.data);
      int pixels = pixels(x.shape());
      Parallel.run(
          mean.size(),
          group -> {
            Group at = new Group(group, pixels, means.data[group], rstds.data[group]);
            backwardGroup(at, maps, xs.data, dys.data, dxs.data, sums);
          });
      return gradients(dx, sums, maps);
    }
  }

  private record Group(int number, int pixels, double mean, double rstd) {
    double normal(double x) {
      return (x - mean) * rstd;
    }
  }

  /** Sums over the pixels of each channel of each image, (n, c): of g, of g z and of g normal. */
  private record Sums(int n, int c, double[] g, double[] gz, double[] gNormal) {
    Sums(int n, int c) {
      this(n, c, new double[n * c], new double[n * c], new double[n * c]);
    }
  }

  private static void backwardGroup(
      Group at, Maps maps, double[] x, double[] dy, double[] dx, Sums sums) {
    int perGroup = maps.channels / maps.spec.groups();
    int first = at.number * perGroup;
    double count = (double) perGroup * at.pixels;
    double meanE = 0;
    double meanENormal = 0;
    for (int nc = first; nc < first + perGroup; nc++) {
      Channel map = maps.of(nc);
      for (int i = nc * at.pixels; i < (nc + 1) * at.pixels; i++) {
        double normal = at.normal(x[i]);
        double g = maps.throughActivation(dy[i], map.t(normal));
        sums.g[nc] += g;
        sums.gz[nc] += g * map.z(normal);
        sums.gNormal[nc] += g * normal;
      }
      meanE += sums.g[nc] * map.gain * map.weight / count;
      meanENormal += sums.gNormal[nc] * map.gain * map.weight / count;
    }
    for (int nc = first; nc < first + perGroup; nc++) {
      Channel map = maps.of(nc);
      for (int i = nc * at.pixels; i < (nc + 1) * at.pixels; i++) {
        double normal = at.normal(x[i]);
        double e = maps.throughActivation(dy[i], map.t(normal)) * map.gain * map.weight;
        dx[i] = at.rstd * (e - meanE - normal * meanENormal);
      }
    }
  }

  /** dx, then the gradients of weight and bias (c) if affine, of scale and shift if modulated. */
  private static Tensor[] gradients(Tensor dx, Sums sums, Maps maps) {
    List<Tensor> result = new ArrayList<>(List.of(dx));
    if (maps.spec.affine()) {
      double[] weight = new double[sums.c];
      double[] bias = new double[sums.c];
      for (int nc = 0; nc < sums.n * sums.c; nc++) {
        weight[nc % sums.c] += maps.of(nc).gain * sums.gNormal[nc];
        bias[nc % sums.c] += maps.of(nc).gain * sums.g[nc];
      }
      result.add(stored(dx, Shape.of(sums.c), weight));
      result.add(stored(dx, Shape.of(sums.c), bias));
    }
    if (maps.spec.modulated()) {
      result.add(stored(dx, Shape.of(sums.n, sums.c), sums.gz));
      result.add(stored(dx, Shape.of(sums.n, sums.c), sums.g));
    }
    return result.toArray(Tensor[]::new);
  }

  private static Tensor stored(Tensor like, Shape shape, double[] values) {
    Tensor y = Fresh.like(like, shape);
    try (Doubles ys = Doubles.into(y)) {
      System.arraycopy(values, 0, ys.data, 0, values.length);
    }
    return y;
  }
}
