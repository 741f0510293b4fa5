package io.perflow.tensor.cpu.optimizer;

import static io.perflow.tensor.cpu.vector.Simd.F;
import static io.perflow.tensor.cpu.vector.Simd.W;

import io.perflow.tensor.cpu.elementwise.Elementwise;
import io.perflow.tensor.cpu.loop.Walk;
import jdk.incubator.vector.FloatVector;

/**
 * Steps of optimizers, each one pass over all its arrays, in place.
 *
 * <p>{@code gradScale} multiplies the gradient first: what clipping by the global norm, or a mean
 * over micro-batches, asks for.
 */
final class Optimizers {
  private Optimizers() {}

  /**
   * AdamW (Loshchilov and Hutter, 2019): weight decay apart from the gradient.
   *
   * <p>{@code m = beta1 m + (1 - beta1) g}, {@code v = beta2 v + (1 - beta2) g²}, {@code p = p - lr
   * weightDecay p - lr mhat / (sqrt(vhat) + eps)} with {@code mhat = m / (1 - beta1^step)}, and v
   * alike.
   *
   * @param step number of this step, from 1 on
   */
  static void adamW(
      float[] p,
      int pOff,
      float[] g,
      int gOff,
      float[] m,
      int mOff,
      float[] v,
      int vOff,
      int n,
      float lr,
      float beta1,
      float beta2,
      float eps,
      float weightDecay,
      int step,
      float gradScale) {
    double keep = 1 - (double) lr * weightDecay;
    AdamStep adam = AdamStep.of(lr, beta1, beta2, eps, step, gradScale, keep, 0);
    Walk.along(
        n, (i, count) -> adam.run(p, pOff + i, g, gOff + i, m, mOff + i, v, vOff + i, count));
  }

  /** Adam (Kingma and Ba, 2015) with weight decay as part of the gradient, {@code g + decay p}. */
  static void adam(
      float[] p,
      int pOff,
      float[] g,
      int gOff,
      float[] m,
      int mOff,
      float[] v,
      int vOff,
      int n,
      float lr,
      float beta1,
      float beta2,
      float eps,
      float weightDecay,
      int step,
      float gradScale) {
    AdamStep adam = AdamStep.of(lr, beta1, beta2, eps, step, gradScale, 1, weightDecay);
    Walk.along(
        n, (i, count) -> adam.run(p, pOff + i, g, gOff + i, m, mOff + i, v, vOff + i, count));
  }

  /** The constants of one step: {@code p = keep p - rate m / (sqrt(v) root + eps)}. */
  private record AdamStep(
      float beta1,
      float beta2,
      float eps,
      float gradScale,
      float keep,
      float penalty,
      float rate,
      float root) {

    static AdamStep of(
        float lr,
        float beta1,
        float beta2,
        float eps,
        int step,
        float gradScale,
        double keep,
        float penalty) {
      double rate = lr / (1 - Math.pow(beta1, step));
      double root = 1 / Math.sqrt(1 - Math.pow(beta2, step));
      return new AdamStep(
          beta1, beta2, eps, gradScale, (float) keep, penalty, (float) rate, (float) root);
    }

    void run(float[] p, int pi, float[] g, int gi, float[] m, int mi, float[] v, int vi, int n) {
      int bound = F.loopBound(n);
      for (int i = 0; i < bound; i += W) {
        FloatVector x = FloatVector.fromArray(F, p, pi + i);
        FloatVector d = FloatVector.fromArray(F, g, gi + i).mul(gradScale);
        d = x.fma(FloatVector.broadcast(F, penalty), d);
        FloatVector first = FloatVector.fromArray(F, m, mi + i).mul(beta1);
        first = d.fma(FloatVector.broadcast(F, 1f - beta1), first);
        FloatVector second = FloatVector.fromArray(F, v, vi + i).mul(beta2);
        second = d.mul(d).fma(FloatVector.broadcast(F, 1f - beta2), second);
        FloatVector size = second.sqrt().mul(root).add(eps);
        first.intoArray(m, mi + i);
        second.intoArray(v, vi + i);
        x.mul(keep).sub(first.mul(rate).div(size)).intoArray(p, pi + i);
      }
      for (int i = bound; i < n; i++) { // the same operations, hence the same bits
        float x = p[pi + i];
        float d = Math.fma(x, penalty, g[gi + i] * gradScale);
        float first = Math.fma(d, 1f - beta1, m[mi + i] * beta1);
        float second = Math.fma(d * d, 1f - beta2, v[vi + i] * beta2);
        m[mi + i] = first;
        v[vi + i] = second;
        p[pi + i] = x * keep - first * rate / ((float) Math.sqrt(second) * root + eps);
      }
    }
  }

  /**
   * Stochastic gradient descent with momentum: {@code d = g + weightDecay p}, {@code velocity =
   * momentum velocity + d} (d itself at the first step), {@code p = p - lr velocity}, or with
   * Nesterov's look-ahead {@code p - lr (d + momentum velocity)}.
   *
   * @param velocity null for plain descent
   * @param first whether velocity holds nothing yet
   */
  static void sgd(
      float[] p,
      int pOff,
      float[] g,
      int gOff,
      float[] velocity,
      int vOff,
      int n,
      float lr,
      float momentum,
      float weightDecay,
      boolean nesterov,
      boolean first,
      float gradScale) {
    Walk.along(
        n,
        (i, count) -> {
          if (velocity == null) {
            descend(p, pOff + i, g, gOff + i, count, lr, weightDecay, gradScale);
          } else {
            momentum(
                p,
                pOff + i,
                g,
                gOff + i,
                velocity,
                vOff + i,
                count,
                lr,
                momentum,
                weightDecay,
                nesterov,
                first,
                gradScale);
          }
        });
  }

  private static void descend(
      float[] p, int pi, float[] g, int gi, int n, float lr, float decay, float gradScale) {
    for (int i = 0; i < n; i++) {
      float x = p[pi + i];
      p[pi + i] = x - lr * (g[gi + i] * gradScale + decay * x);
    }
  }

  private static void momentum(
      float[] p,
      int pi,
      float[] g,
      int gi,
      float[] v,
      int vi,
      int n,
      float lr,
      float momentum,
      float decay,
      boolean nesterov,
      boolean first,
      float gradScale) {
    for (int i = 0; i < n; i++) {
      float x = p[pi + i];
      float d = g[gi + i] * gradScale + decay * x;
      float speed = first ? d : momentum * v[vi + i] + d;
      v[vi + i] = speed;
      p[pi + i] = x - lr * (nesterov ? d + momentum * speed : speed);
    }
  }

  /** Exponential moving average: {@code e = decay e + (1 - decay) p}. */
  static void ema(float[] e, int eOff, float[] p, int pOff, int n, float decay) {
    Walk.along(
        n, (i, count) -> Elementwise.axpby(1f - decay, p, pOff + i, decay, e, eOff + i, count));
  }
}
