package io.perflow.tensor.cpu.fft;

import static io.perflow.tensor.cpu.vector.Simd.F;

import jdk.incubator.vector.FloatVector;

/**
 * Butterflies of the Fourier transform on vectors of floats, one method per radix; {@link
 * FftKernel#pass} describes the geometry, {@link FftPlan} the formula.
 *
 * <p>Loops read {@code width} contiguous elements per leg; where that is no multiple of the vector
 * the last vector of a leg overlaps the one before it, so {@code width} is at least a vector. Table
 * {@code tw} holds (re, im, -im) of the factor of leg l of butterfly i at {@code i * twStep + 3 (l
 * - 1)}; a step of 0 repeats the first row. Vectors live in locals only and helpers are avoided,
 * because the compiler inlines no more than the intrinsics themselves into methods of this size.
 */
final class FloatButterflies {
  private static final int W = F.length();

  private FloatButterflies() {}

  /** Pass of radix 2, with factors. */
  static void radix2(
      int count,
      int width,
      float[] x,
      int xr,
      int xi,
      int xStep,
      int xLeg,
      float[] y,
      int yr,
      int yi,
      int yStep,
      int yLeg,
      float[] tw,
      int twStep) {
    int parts = width % W == 0 ? 1 : 2;
    FloatVector u;
    FloatVector v;
    FloatVector w;
    for (int i = 0; i < count; i++) {
      int a = i * xStep;
      int b = i * yStep;
      int t = i * twStep;
      for (int part = 0; part < parts; part++) {
        for (int c = part * (width - W); c <= width - W; c += W) {
          var a0r = FloatVector.fromArray(F, x, xr + a + c);
          var a0i = FloatVector.fromArray(F, x, xi + a + c);
          var a1r = FloatVector.fromArray(F, x, xr + a + c + xLeg);
          var a1i = FloatVector.fromArray(F, x, xi + a + c + xLeg);
          a0r.add(a1r).intoArray(y, yr + b + c);
          a0i.add(a1i).intoArray(y, yi + b + c);
          var d1r = a0r.sub(a1r);
          var d1i = a0i.sub(a1i);
          w = FloatVector.broadcast(F, tw[t]);
          v = FloatVector.broadcast(F, tw[t + 1]);
          u = FloatVector.broadcast(F, tw[t + 2]);
          d1r.fma(w, d1i.mul(u)).intoArray(y, yr + b + c + yLeg);
          d1i.fma(w, d1r.mul(v)).intoArray(y, yi + b + c + yLeg);
        }
      }
    }
  }

  /** Pass of radix 3, with factors. */
  static void radix3(
      int count,
      int width,
      float[] x,
      int xr,
      int xi,
      int xStep,
      int xLeg,
      float[] y,
      int yr,
      int yi,
      int yStep,
      int yLeg,
      float[] tw,
      int twStep) {
    int parts = width % W == 0 ? 1 : 2;
    var c1 = FloatVector.broadcast(F, (float) Roots.cos(1, 3));
    var s1 = FloatVector.broadcast(F, (float) Roots.sin(1, 3));
    FloatVector u;
    FloatVector v;
    FloatVector w;
    for (int i = 0; i < count; i++) {
      int a = i * xStep;
      int b = i * yStep;
      int t = i * twStep;
      for (int part = 0; part < parts; part++) {
        for (int c = part * (width - W); c <= width - W; c += W) {
          var a0r = FloatVector.fromArray(F, x, xr + a + c);
          var a0i = FloatVector.fromArray(F, x, xi + a + c);
          var a1r = FloatVector.fromArray(F, x, xr + a + c + xLeg);
          var a1i = FloatVector.fromArray(F, x, xi + a + c + xLeg);
          var a2r = FloatVector.fromArray(F, x, xr + a + c + 2 * xLeg);
          var a2i = FloatVector.fromArray(F, x, xi + a + c + 2 * xLeg);
          var p1r = a1r.add(a2r);
          var d1r = a1r.sub(a2r);
          var p1i = a1i.add(a2i);
          var d1i = a1i.sub(a2i);
          a0r.add(p1r).intoArray(y, yr + b + c);
          a0i.add(p1i).intoArray(y, yi + b + c);
          var m1r = p1r.fma(c1, a0r);
          var m1i = p1i.fma(c1, a0i);
          var n1r = d1r.mul(s1);
          var n1i = d1i.mul(s1);
          var y1r = m1r.add(n1i);
          var y1i = m1i.sub(n1r);
          w = FloatVector.broadcast(F, tw[t]);
          v = FloatVector.broadcast(F, tw[t + 1]);
          u = FloatVector.broadcast(F, tw[t + 2]);
          y1r.fma(w, y1i.mul(u)).intoArray(y, yr + b + c + yLeg);
          y1i.fma(w, y1r.mul(v)).intoArray(y, yi + b + c + yLeg);
          var y2r = m1r.sub(n1i);
          var y2i = m1i.add(n1r);
          w = FloatVector.broadcast(F, tw[t + 3]);
          v = FloatVector.broadcast(F, tw[t + 4]);
          u = FloatVector.broadcast(F, tw[t + 5]);
          y2r.fma(w, y2i.mul(u)).intoArray(y, yr + b + c + 2 * yLeg);
          y2i.fma(w, y2r.mul(v)).intoArray(y, yi + b + c + 2 * yLeg);
        }
      }
    }
  }

  /** Pass of radix 4, with factors. */
  static void radix4(
      int count,
      int width,
      float[] x,
      int xr,
      int xi,
      int xStep,
      int xLeg,
      float[] y,
      int yr,
      int yi,
      int yStep,
      int yLeg,
      float[] tw,
      int twStep) {
    int parts = width % W == 0 ? 1 : 2;
    FloatVector u;
    FloatVector v;
    FloatVector w;
    for (int i = 0; i < count; i++) {
      int a = i * xStep;
      int b = i * yStep;
      int t = i * twStep;
      for (int part = 0; part < parts; part++) {
        for (int c = part * (width - W); c <= width - W; c += W) {
          var a0r = FloatVector.fromArray(F, x, xr + a + c);
          var a0i = FloatVector.fromArray(F, x, xi + a + c);
          var a1r = FloatVector.fromArray(F, x, xr + a + c + xLeg);
          var a1i = FloatVector.fromArray(F, x, xi + a + c + xLeg);
          var a2r = FloatVector.fromArray(F, x, xr + a + c + 2 * xLeg);
          var a2i = FloatVector.fromArray(F, x, xi + a + c + 2 * xLeg);
          var a3r = FloatVector.fromArray(F, x, xr + a + c + 3 * xLeg);
          var a3i = FloatVector.fromArray(F, x, xi + a + c + 3 * xLeg);
          var s0r = a0r.add(a2r);
          var s0i = a0i.add(a2i);
          var d0r = a0r.sub(a2r);
          var d0i = a0i.sub(a2i);
          var s1r = a1r.add(a3r);
          var s1i = a1i.add(a3i);
          var d1r = a1r.sub(a3r);
          var d1i = a1i.sub(a3i);
          s0r.add(s1r).intoArray(y, yr + b + c);
          s0i.add(s1i).intoArray(y, yi + b + c);
          var y1r = d0r.add(d1i);
          var y1i = d0i.sub(d1r);
          w = FloatVector.broadcast(F, tw[t]);
          v = FloatVector.broadcast(F, tw[t + 1]);
          u = FloatVector.broadcast(F, tw[t + 2]);
          y1r.fma(w, y1i.mul(u)).intoArray(y, yr + b + c + yLeg);
          y1i.fma(w, y1r.mul(v)).intoArray(y, yi + b + c + yLeg);
          var y2r = s0r.sub(s1r);
          var y2i = s0i.sub(s1i);
          w = FloatVector.broadcast(F, tw[t + 3]);
          v = FloatVector.broadcast(F, tw[t + 4]);
          u = FloatVector.broadcast(F, tw[t + 5]);
          y2r.fma(w, y2i.mul(u)).intoArray(y, yr + b + c + 2 * yLeg);
          y2i.fma(w, y2r.mul(v)).intoArray(y, yi + b + c + 2 * yLeg);
          var y3r = d0r.sub(d1i);
          var y3i = d0i.add(d1r);
          w = FloatVector.broadcast(F, tw[t + 6]);
          v = FloatVector.broadcast(F, tw[t + 7]);
          u = FloatVector.broadcast(F, tw[t + 8]);
          y3r.fma(w, y3i.mul(u)).intoArray(y, yr + b + c + 3 * yLeg);
          y3i.fma(w, y3r.mul(v)).intoArray(y, yi + b + c + 3 * yLeg);
        }
      }
    }
  }

  /** Pass of radix 5, with factors. */
  static void radix5(
      int count,
      int width,
      float[] x,
      int xr,
      int xi,
      int xStep,
      int xLeg,
      float[] y,
      int yr,
      int yi,
      int yStep,
      int yLeg,
      float[] tw,
      int twStep) {
    int parts = width % W == 0 ? 1 : 2;
    var c1 = FloatVector.broadcast(F, (float) Roots.cos(1, 5));
    var s1 = FloatVector.broadcast(F, (float) Roots.sin(1, 5));
    var n1 = s1.neg();
    var c2 = FloatVector.broadcast(F, (float) Roots.cos(2, 5));
    var s2 = FloatVector.broadcast(F, (float) Roots.sin(2, 5));
    FloatVector u;
    FloatVector v;
    FloatVector w;
    for (int i = 0; i < count; i++) {
      int a = i * xStep;
      int b = i * yStep;
      int t = i * twStep;
      for (int part = 0; part < parts; part++) {
        for (int c = part * (width - W); c <= width - W; c += W) {
          var a0r = FloatVector.fromArray(F, x, xr + a + c);
          var a0i = FloatVector.fromArray(F, x, xi + a + c);
          var a1r = FloatVector.fromArray(F, x, xr + a + c + xLeg);
          var a1i = FloatVector.fromArray(F, x, xi + a + c + xLeg);
          var a2r = FloatVector.fromArray(F, x, xr + a + c + 2 * xLeg);
          var a2i = FloatVector.fromArray(F, x, xi + a + c + 2 * xLeg);
          var a3r = FloatVector.fromArray(F, x, xr + a + c + 3 * xLeg);
          var a3i = FloatVector.fromArray(F, x, xi + a + c + 3 * xLeg);
          var a4r = FloatVector.fromArray(F, x, xr + a + c + 4 * xLeg);
          var a4i = FloatVector.fromArray(F, x, xi + a + c + 4 * xLeg);
          var p1r = a1r.add(a4r);
          var d1r = a1r.sub(a4r);
          var p1i = a1i.add(a4i);
          var d1i = a1i.sub(a4i);
          var p2r = a2r.add(a3r);
          var d2r = a2r.sub(a3r);
          var p2i = a2i.add(a3i);
          var d2i = a2i.sub(a3i);
          a0r.add(p1r).add(p2r).intoArray(y, yr + b + c);
          a0i.add(p1i).add(p2i).intoArray(y, yi + b + c);
          var m1r = p2r.fma(c2, p1r.fma(c1, a0r));
          var m1i = p2i.fma(c2, p1i.fma(c1, a0i));
          var n1r = d2r.fma(s2, d1r.mul(s1));
          var n1i = d2i.fma(s2, d1i.mul(s1));
          var y1r = m1r.add(n1i);
          var y1i = m1i.sub(n1r);
          w = FloatVector.broadcast(F, tw[t]);
          v = FloatVector.broadcast(F, tw[t + 1]);
          u = FloatVector.broadcast(F, tw[t + 2]);
          y1r.fma(w, y1i.mul(u)).intoArray(y, yr + b + c + yLeg);
          y1i.fma(w, y1r.mul(v)).intoArray(y, yi + b + c + yLeg);
          var y4r = m1r.sub(n1i);
          var y4i = m1i.add(n1r);
          w = FloatVector.broadcast(F, tw[t + 9]);
          v = FloatVector.broadcast(F, tw[t + 10]);
          u = FloatVector.broadcast(F, tw[t + 11]);
          y4r.fma(w, y4i.mul(u)).intoArray(y, yr + b + c + 4 * yLeg);
          y4i.fma(w, y4r.mul(v)).intoArray(y, yi + b + c + 4 * yLeg);
          var m2r = p2r.fma(c1, p1r.fma(c2, a0r));
          var m2i = p2i.fma(c1, p1i.fma(c2, a0i));
          var n2r = d2r.fma(n1, d1r.mul(s2));
          var n2i = d2i.fma(n1, d1i.mul(s2));
          var y2r = m2r.add(n2i);
          var y2i = m2i.sub(n2r);
          w = FloatVector.broadcast(F, tw[t + 3]);
          v = FloatVector.broadcast(F, tw[t + 4]);
          u = FloatVector.broadcast(F, tw[t + 5]);
          y2r.fma(w, y2i.mul(u)).intoArray(y, yr + b + c + 2 * yLeg);
          y2i.fma(w, y2r.mul(v)).intoArray(y, yi + b + c + 2 * yLeg);
          var y3r = m2r.sub(n2i);
          var y3i = m2i.add(n2r);
          w = FloatVector.broadcast(F, tw[t + 6]);
          v = FloatVector.broadcast(F, tw[t + 7]);
          u = FloatVector.broadcast(F, tw[t + 8]);
          y3r.fma(w, y3i.mul(u)).intoArray(y, yr + b + c + 3 * yLeg);
          y3i.fma(w, y3r.mul(v)).intoArray(y, yi + b + c + 3 * yLeg);
        }
      }
    }
  }

  /** Pass of radix 7, with factors. */
  static void radix7(
      int count,
      int width,
      float[] x,
      int xr,
      int xi,
      int xStep,
      int xLeg,
      float[] y,
      int yr,
      int yi,
      int yStep,
      int yLeg,
      float[] tw,
      int twStep) {
    int parts = width % W == 0 ? 1 : 2;
    var c1 = FloatVector.broadcast(F, (float) Roots.cos(1, 7));
    var s1 = FloatVector.broadcast(F, (float) Roots.sin(1, 7));
    var n1 = s1.neg();
    var c2 = FloatVector.broadcast(F, (float) Roots.cos(2, 7));
    var s2 = FloatVector.broadcast(F, (float) Roots.sin(2, 7));
    var c3 = FloatVector.broadcast(F, (float) Roots.cos(3, 7));
    var s3 = FloatVector.broadcast(F, (float) Roots.sin(3, 7));
    var n3 = s3.neg();
    FloatVector u;
    FloatVector v;
    FloatVector w;
    for (int i = 0; i < count; i++) {
      int a = i * xStep;
      int b = i * yStep;
      int t = i * twStep;
      for (int part = 0; part < parts; part++) {
        for (int c = part * (width - W); c <= width - W; c += W) {
          var a0r = FloatVector.fromArray(F, x, xr + a + c);
          var a0i = FloatVector.fromArray(F, x, xi + a + c);
          var a1r = FloatVector.fromArray(F, x, xr + a + c + xLeg);
          var a1i = FloatVector.fromArray(F, x, xi + a + c + xLeg);
          var a2r = FloatVector.fromArray(F, x, xr + a + c + 2 * xLeg);
          var a2i = FloatVector.fromArray(F, x, xi + a + c + 2 * xLeg);
          var a3r = FloatVector.fromArray(F, x, xr + a + c + 3 * xLeg);
          var a3i = FloatVector.fromArray(F, x, xi + a + c + 3 * xLeg);
          var a4r = FloatVector.fromArray(F, x, xr + a + c + 4 * xLeg);
          var a4i = FloatVector.fromArray(F, x, xi + a + c + 4 * xLeg);
          var a5r = FloatVector.fromArray(F, x, xr + a + c + 5 * xLeg);
          var a5i = FloatVector.fromArray(F, x, xi + a + c + 5 * xLeg);
          var a6r = FloatVector.fromArray(F, x, xr + a + c + 6 * xLeg);
          var a6i = FloatVector.fromArray(F, x, xi + a + c + 6 * xLeg);
          var p1r = a1r.add(a6r);
          var d1r = a1r.sub(a6r);
          var p1i = a1i.add(a6i);
          var d1i = a1i.sub(a6i);
          var p2r = a2r.add(a5r);
          var d2r = a2r.sub(a5r);
          var p2i = a2i.add(a5i);
          var d2i = a2i.sub(a5i);
          var p3r = a3r.add(a4r);
          var d3r = a3r.sub(a4r);
          var p3i = a3i.add(a4i);
          var d3i = a3i.sub(a4i);
          a0r.add(p1r).add(p2r).add(p3r).intoArray(y, yr + b + c);
          a0i.add(p1i).add(p2i).add(p3i).intoArray(y, yi + b + c);
          var m1r = p3r.fma(c3, p2r.fma(c2, p1r.fma(c1, a0r)));
          var m1i = p3i.fma(c3, p2i.fma(c2, p1i.fma(c1, a0i)));
          var n1r = d3r.fma(s3, d2r.fma(s2, d1r.mul(s1)));
          var n1i = d3i.fma(s3, d2i.fma(s2, d1i.mul(s1)));
          var y1r = m1r.add(n1i);
          var y1i = m1i.sub(n1r);
          w = FloatVector.broadcast(F, tw[t]);
          v = FloatVector.broadcast(F, tw[t + 1]);
          u = FloatVector.broadcast(F, tw[t + 2]);
          y1r.fma(w, y1i.mul(u)).intoArray(y, yr + b + c + yLeg);
          y1i.fma(w, y1r.mul(v)).intoArray(y, yi + b + c + yLeg);
          var y6r = m1r.sub(n1i);
          var y6i = m1i.add(n1r);
          w = FloatVector.broadcast(F, tw[t + 15]);
          v = FloatVector.broadcast(F, tw[t + 16]);
          u = FloatVector.broadcast(F, tw[t + 17]);
          y6r.fma(w, y6i.mul(u)).intoArray(y, yr + b + c + 6 * yLeg);
          y6i.fma(w, y6r.mul(v)).intoArray(y, yi + b + c + 6 * yLeg);
          var m2r = p3r.fma(c1, p2r.fma(c3, p1r.fma(c2, a0r)));
          var m2i = p3i.fma(c1, p2i.fma(c3, p1i.fma(c2, a0i)));
          var n2r = d3r.fma(n1, d2r.fma(n3, d1r.mul(s2)));
          var n2i = d3i.fma(n1, d2i.fma(n3, d1i.mul(s2)));
          var y2r = m2r.add(n2i);
          var y2i = m2i.sub(n2r);
          w = FloatVector.broadcast(F, tw[t + 3]);
          v = FloatVector.broadcast(F, tw[t + 4]);
          u = FloatVector.broadcast(F, tw[t + 5]);
          y2r.fma(w, y2i.mul(u)).intoArray(y, yr + b + c + 2 * yLeg);
          y2i.fma(w, y2r.mul(v)).intoArray(y, yi + b + c + 2 * yLeg);
          var y5r = m2r.sub(n2i);
          var y5i = m2i.add(n2r);
          w = FloatVector.broadcast(F, tw[t + 12]);
          v = FloatVector.broadcast(F, tw[t + 13]);
          u = FloatVector.broadcast(F, tw[t + 14]);
          y5r.fma(w, y5i.mul(u)).intoArray(y, yr + b + c + 5 * yLeg);
          y5i.fma(w, y5r.mul(v)).intoArray(y, yi + b + c + 5 * yLeg);
          var m3r = p3r.fma(c2, p2r.fma(c1, p1r.fma(c3, a0r)));
          var m3i = p3i.fma(c2, p2i.fma(c1, p1i.fma(c3, a0i)));
          var n3r = d3r.fma(s2, d2r.fma(n1, d1r.mul(s3)));
          var n3i = d3i.fma(s2, d2i.fma(n1, d1i.mul(s3)));
          var y3r = m3r.add(n3i);
          var y3i = m3i.sub(n3r);
          w = FloatVector.broadcast(F, tw[t + 6]);
          v = FloatVector.broadcast(F, tw[t + 7]);
          u = FloatVector.broadcast(F, tw[t + 8]);
          y3r.fma(w, y3i.mul(u)).intoArray(y, yr + b + c + 3 * yLeg);
          y3i.fma(w, y3r.mul(v)).intoArray(y, yi + b + c + 3 * yLeg);
          var y4r = m3r.sub(n3i);
          var y4i = m3i.add(n3r);
          w = FloatVector.broadcast(F, tw[t + 9]);
          v = FloatVector.broadcast(F, tw[t + 10]);
          u = FloatVector.broadcast(F, tw[t + 11]);
          y4r.fma(w, y4i.mul(u)).intoArray(y, yr + b + c + 4 * yLeg);
          y4i.fma(w, y4r.mul(v)).intoArray(y, yi + b + c + 4 * yLeg);
        }
      }
    }
  }

  /** Pass of radix 8, with factors. */
  static void radix8(
      int count,
      int width,
      float[] x,
      int xr,
      int xi,
      int xStep,
      int xLeg,
      float[] y,
      int yr,
      int yi,
      int yStep,
      int yLeg,
      float[] tw,
      int twStep) {
    int parts = width % W == 0 ? 1 : 2;
    var half = FloatVector.broadcast(F, (float) Math.sqrt(0.5));
    var minus = half.neg();
    FloatVector u;
    FloatVector v;
    FloatVector w;
    for (int i = 0; i < count; i++) {
      int a = i * xStep;
      int b = i * yStep;
      int t = i * twStep;
      for (int part = 0; part < parts; part++) {
        for (int c = part * (width - W); c <= width - W; c += W) {
          var a0r = FloatVector.fromArray(F, x, xr + a + c);
          var a0i = FloatVector.fromArray(F, x, xi + a + c);
          var a1r = FloatVector.fromArray(F, x, xr + a + c + xLeg);
          var a1i = FloatVector.fromArray(F, x, xi + a + c + xLeg);
          var a2r = FloatVector.fromArray(F, x, xr + a + c + 2 * xLeg);
          var a2i = FloatVector.fromArray(F, x, xi + a + c + 2 * xLeg);
          var a3r = FloatVector.fromArray(F, x, xr + a + c + 3 * xLeg);
          var a3i = FloatVector.fromArray(F, x, xi + a + c + 3 * xLeg);
          var a4r = FloatVector.fromArray(F, x, xr + a + c + 4 * xLeg);
          var a4i = FloatVector.fromArray(F, x, xi + a + c + 4 * xLeg);
          var a5r = FloatVector.fromArray(F, x, xr + a + c + 5 * xLeg);
          var a5i = FloatVector.fromArray(F, x, xi + a + c + 5 * xLeg);
          var a6r = FloatVector.fromArray(F, x, xr + a + c + 6 * xLeg);
          var a6i = FloatVector.fromArray(F, x, xi + a + c + 6 * xLeg);
          var a7r = FloatVector.fromArray(F, x, xr + a + c + 7 * xLeg);
          var a7i = FloatVector.fromArray(F, x, xi + a + c + 7 * xLeg);
          var s0r = a0r.add(a4r);
          var d0r = a0r.sub(a4r);
          var s0i = a0i.add(a4i);
          var d0i = a0i.sub(a4i);
          var s1r = a1r.add(a5r);
          var d1r = a1r.sub(a5r);
          var s1i = a1i.add(a5i);
          var d1i = a1i.sub(a5i);
          var s2r = a2r.add(a6r);
          var d2r = a2r.sub(a6r);
          var s2i = a2i.add(a6i);
          var d2i = a2i.sub(a6i);
          var s3r = a3r.add(a7r);
          var d3r = a3r.sub(a7r);
          var s3i = a3i.add(a7i);
          var d3i = a3i.sub(a7i);
          var p0r = s0r.add(s2r);
          var p0i = s0i.add(s2i);
          var p1r = s1r.add(s3r);
          var p1i = s1i.add(s3i);
          p0r.add(p1r).intoArray(y, yr + b + c);
          p0i.add(p1i).intoArray(y, yi + b + c);
          var y4r = p0r.sub(p1r);
          var y4i = p0i.sub(p1i);
          w = FloatVector.broadcast(F, tw[t + 9]);
          v = FloatVector.broadcast(F, tw[t + 10]);
          u = FloatVector.broadcast(F, tw[t + 11]);
          y4r.fma(w, y4i.mul(u)).intoArray(y, yr + b + c + 4 * yLeg);
          y4i.fma(w, y4r.mul(v)).intoArray(y, yi + b + c + 4 * yLeg);
          var q0r = s0r.sub(s2r);
          var q0i = s0i.sub(s2i);
          var q1r = s1r.sub(s3r);
          var q1i = s1i.sub(s3i);
          var y2r = q0r.add(q1i);
          var y2i = q0i.sub(q1r);
          w = FloatVector.broadcast(F, tw[t + 3]);
          v = FloatVector.broadcast(F, tw[t + 4]);
          u = FloatVector.broadcast(F, tw[t + 5]);
          y2r.fma(w, y2i.mul(u)).intoArray(y, yr + b + c + 2 * yLeg);
          y2i.fma(w, y2r.mul(v)).intoArray(y, yi + b + c + 2 * yLeg);
          var y6r = q0r.sub(q1i);
          var y6i = q0i.add(q1r);
          w = FloatVector.broadcast(F, tw[t + 15]);
          v = FloatVector.broadcast(F, tw[t + 16]);
          u = FloatVector.broadcast(F, tw[t + 17]);
          y6r.fma(w, y6i.mul(u)).intoArray(y, yr + b + c + 6 * yLeg);
          y6i.fma(w, y6r.mul(v)).intoArray(y, yi + b + c + 6 * yLeg);
          // odd legs: the differences turned by eighths, the root 1/2 folded into multiply-adds
          var g1 = d1r.add(d1i);
          var h1 = d1i.sub(d1r);
          var g3 = d3i.sub(d3r);
          var h3 = d3r.add(d3i);
          var e0r = d0r.add(d2i);
          var e0i = d0i.sub(d2r);
          var f0r = g1.add(g3);
          var f0i = h1.sub(h3);
          var y1r = f0r.fma(half, e0r);
          var y1i = f0i.fma(half, e0i);
          w = FloatVector.broadcast(F, tw[t]);
          v = FloatVector.broadcast(F, tw[t + 1]);
          u = FloatVector.broadcast(F, tw[t + 2]);
          y1r.fma(w, y1i.mul(u)).intoArray(y, yr + b + c + yLeg);
          y1i.fma(w, y1r.mul(v)).intoArray(y, yi + b + c + yLeg);
          var y5r = f0r.fma(minus, e0r);
          var y5i = f0i.fma(minus, e0i);
          w = FloatVector.broadcast(F, tw[t + 12]);
          v = FloatVector.broadcast(F, tw[t + 13]);
          u = FloatVector.broadcast(F, tw[t + 14]);
          y5r.fma(w, y5i.mul(u)).intoArray(y, yr + b + c + 5 * yLeg);
          y5i.fma(w, y5r.mul(v)).intoArray(y, yi + b + c + 5 * yLeg);
          var e1r = d0r.sub(d2i);
          var e1i = d0i.add(d2r);
          var f1r = h1.add(h3);
          var f1i = g3.sub(g1);
          var y3r = f1r.fma(half, e1r);
          var y3i = f1i.fma(half, e1i);
          w = FloatVector.broadcast(F, tw[t + 6]);
          v = FloatVector.broadcast(F, tw[t + 7]);
          u = FloatVector.broadcast(F, tw[t + 8]);
          y3r.fma(w, y3i.mul(u)).intoArray(y, yr + b + c + 3 * yLeg);
          y3i.fma(w, y3r.mul(v)).intoArray(y, yi + b + c + 3 * yLeg);
          var y7r = f1r.fma(minus, e1r);
          var y7i = f1i.fma(minus, e1i);
          w = FloatVector.broadcast(F, tw[t + 18]);
          v = FloatVector.broadcast(F, tw[t + 19]);
          u = FloatVector.broadcast(F, tw[t + 20]);
          y7r.fma(w, y7i.mul(u)).intoArray(y, yr + b + c + 7 * yLeg);
          y7i.fma(w, y7r.mul(v)).intoArray(y, yi + b + c + 7 * yLeg);
        }
      }
    }
  }

  /** Last pass of radix 4, whose factors are all 1. */
  static void last4(
      int count,
      int width,
      float[] x,
      int xr,
      int xi,
      int xStep,
      int xLeg,
      float[] y,
      int yr,
      int yi,
      int yStep,
      int yLeg) {
    int parts = width % W == 0 ? 1 : 2;
    for (int i = 0; i < count; i++) {
      int a = i * xStep;
      int b = i * yStep;
      for (int part = 0; part < parts; part++) {
        for (int c = part * (width - W); c <= width - W; c += W) {
          var a0r = FloatVector.fromArray(F, x, xr + a + c);
          var a0i = FloatVector.fromArray(F, x, xi + a + c);
          var a1r = FloatVector.fromArray(F, x, xr + a + c + xLeg);
          var a1i = FloatVector.fromArray(F, x, xi + a + c + xLeg);
          var a2r = FloatVector.fromArray(F, x, xr + a + c + 2 * xLeg);
          var a2i = FloatVector.fromArray(F, x, xi + a + c + 2 * xLeg);
          var a3r = FloatVector.fromArray(F, x, xr + a + c + 3 * xLeg);
          var a3i = FloatVector.fromArray(F, x, xi + a + c + 3 * xLeg);
          var s0r = a0r.add(a2r);
          var s0i = a0i.add(a2i);
          var d0r = a0r.sub(a2r);
          var d0i = a0i.sub(a2i);
          var s1r = a1r.add(a3r);
          var s1i = a1i.add(a3i);
          var d1r = a1r.sub(a3r);
          var d1i = a1i.sub(a3i);
          s0r.add(s1r).intoArray(y, yr + b + c);
          s0i.add(s1i).intoArray(y, yi + b + c);
          d0r.add(d1i).intoArray(y, yr + b + c + yLeg);
          d0i.sub(d1r).intoArray(y, yi + b + c + yLeg);
          s0r.sub(s1r).intoArray(y, yr + b + c + 2 * yLeg);
          s0i.sub(s1i).intoArray(y, yi + b + c + 2 * yLeg);
          d0r.sub(d1i).intoArray(y, yr + b + c + 3 * yLeg);
          d0i.add(d1r).intoArray(y, yi + b + c + 3 * yLeg);
        }
      }
    }
  }

  /** Last pass of radix 8, whose factors are all 1. */
  static void last8(
      int count,
      int width,
      float[] x,
      int xr,
      int xi,
      int xStep,
      int xLeg,
      float[] y,
      int yr,
      int yi,
      int yStep,
      int yLeg) {
    int parts = width % W == 0 ? 1 : 2;
    var half = FloatVector.broadcast(F, (float) Math.sqrt(0.5));
    var minus = half.neg();
    for (int i = 0; i < count; i++) {
      int a = i * xStep;
      int b = i * yStep;
      for (int part = 0; part < parts; part++) {
        for (int c = part * (width - W); c <= width - W; c += W) {
          var a0r = FloatVector.fromArray(F, x, xr + a + c);
          var a0i = FloatVector.fromArray(F, x, xi + a + c);
          var a1r = FloatVector.fromArray(F, x, xr + a + c + xLeg);
          var a1i = FloatVector.fromArray(F, x, xi + a + c + xLeg);
          var a2r = FloatVector.fromArray(F, x, xr + a + c + 2 * xLeg);
          var a2i = FloatVector.fromArray(F, x, xi + a + c + 2 * xLeg);
          var a3r = FloatVector.fromArray(F, x, xr + a + c + 3 * xLeg);
          var a3i = FloatVector.fromArray(F, x, xi + a + c + 3 * xLeg);
          var a4r = FloatVector.fromArray(F, x, xr + a + c + 4 * xLeg);
          var a4i = FloatVector.fromArray(F, x, xi + a + c + 4 * xLeg);
          var a5r = FloatVector.fromArray(F, x, xr + a + c + 5 * xLeg);
          var a5i = FloatVector.fromArray(F, x, xi + a + c + 5 * xLeg);
          var a6r = FloatVector.fromArray(F, x, xr + a + c + 6 * xLeg);
          var a6i = FloatVector.fromArray(F, x, xi + a + c + 6 * xLeg);
          var a7r = FloatVector.fromArray(F, x, xr + a + c + 7 * xLeg);
          var a7i = FloatVector.fromArray(F, x, xi + a + c + 7 * xLeg);
          var s0r = a0r.add(a4r);
          var d0r = a0r.sub(a4r);
          var s0i = a0i.add(a4i);
          var d0i = a0i.sub(a4i);
          var s1r = a1r.add(a5r);
          var d1r = a1r.sub(a5r);
          var s1i = a1i.add(a5i);
          var d1i = a1i.sub(a5i);
          var s2r = a2r.add(a6r);
          var d2r = a2r.sub(a6r);
          var s2i = a2i.add(a6i);
          var d2i = a2i.sub(a6i);
          var s3r = a3r.add(a7r);
          var d3r = a3r.sub(a7r);
          var s3i = a3i.add(a7i);
          var d3i = a3i.sub(a7i);
          var p0r = s0r.add(s2r);
          var p0i = s0i.add(s2i);
          var p1r = s1r.add(s3r);
          var p1i = s1i.add(s3i);
          p0r.add(p1r).intoArray(y, yr + b + c);
          p0i.add(p1i).intoArray(y, yi + b + c);
          p0r.sub(p1r).intoArray(y, yr + b + c + 4 * yLeg);
          p0i.sub(p1i).intoArray(y, yi + b + c + 4 * yLeg);
          var q0r = s0r.sub(s2r);
          var q0i = s0i.sub(s2i);
          var q1r = s1r.sub(s3r);
          var q1i = s1i.sub(s3i);
          q0r.add(q1i).intoArray(y, yr + b + c + 2 * yLeg);
          q0i.sub(q1r).intoArray(y, yi + b + c + 2 * yLeg);
          q0r.sub(q1i).intoArray(y, yr + b + c + 6 * yLeg);
          q0i.add(q1r).intoArray(y, yi + b + c + 6 * yLeg);
          // odd legs: the differences turned by eighths, the root 1/2 folded into multiply-adds
          var g1 = d1r.add(d1i);
          var h1 = d1i.sub(d1r);
          var g3 = d3i.sub(d3r);
          var h3 = d3r.add(d3i);
          var e0r = d0r.add(d2i);
          var e0i = d0i.sub(d2r);
          var f0r = g1.add(g3);
          var f0i = h1.sub(h3);
          f0r.fma(half, e0r).intoArray(y, yr + b + c + yLeg);
          f0i.fma(half, e0i).intoArray(y, yi + b + c + yLeg);
          f0r.fma(minus, e0r).intoArray(y, yr + b + c + 5 * yLeg);
          f0i.fma(minus, e0i).intoArray(y, yi + b + c + 5 * yLeg);
          var e1r = d0r.sub(d2i);
          var e1i = d0i.add(d2r);
          var f1r = h1.add(h3);
          var f1i = g3.sub(g1);
          f1r.fma(half, e1r).intoArray(y, yr + b + c + 3 * yLeg);
          f1i.fma(half, e1i).intoArray(y, yi + b + c + 3 * yLeg);
          f1r.fma(minus, e1r).intoArray(y, yr + b + c + 7 * yLeg);
          f1i.fma(minus, e1i).intoArray(y, yi + b + c + 7 * yLeg);
        }
      }
    }
  }
}
