// flags: -fmad=false
//
// Random numbers by counting, the same bits as io.perflow.tensor.cpu.random.Philox on the CPU:
// Philox 4x32-10 (Salmon, Moraes, Dror and Shaw, SC 2011), and normal numbers by Box and Muller
// with logarithm, sine and cosine made of operations that IEEE 754 defines to the last bit. Nothing
// here may be contracted by the compiler: fused multiply-adds are where they are written.
//
// A thread makes the two numbers of one counter. Grid: any number of blocks of any size.
#include "walk.cuh"

struct Pair {
  double first;
  double second;
};

__device__ inline double fraction(unsigned leading, unsigned rest) {
  unsigned long long bits = (unsigned long long)leading << 32 | rest;
  return (double)(long long)(bits >> 11) * 0x1p-53;
}

// Two numbers in [0, 1) for a counter under a key.
__device__ inline Pair uniforms(unsigned long long key, unsigned long long counter) {
  unsigned c0 = (unsigned)counter, c1 = (unsigned)(counter >> 32), c2 = 0, c3 = 0;
  unsigned k0 = (unsigned)key, k1 = (unsigned)(key >> 32);
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    unsigned high0 = __umulhi(0xD2511F53u, c0), low0 = 0xD2511F53u * c0;
    unsigned high1 = __umulhi(0xCD9E8D57u, c2), low1 = 0xCD9E8D57u * c2;
    c0 = high1 ^ c1 ^ k0;
    c1 = low1;
    c2 = high0 ^ c3 ^ k1;
    c3 = low0;
    k0 += 0x9E3779B9u;  // golden ratio
    k1 += 0xBB67AE85u;  // sqrt(3) - 1
  }
  return {fraction(c0, c1), fraction(c2, c3)};
}

// Natural logarithm of a normal number above 0: x = 2^e m, log m = 2 atanh((m - 1) / (m + 1)).
__device__ inline double logarithm(double x) {
  long long bits = __double_as_longlong(x);
  int e = (int)((bits - 0x3FE6A09E667F3BCDLL) >> 52);  // exponent relative to sqrt(1/2)
  double m = __longlong_as_double(bits - ((long long)e << 52));
  double s = (m - 1) / (m + 1);
  double z = s * s;
  double p = 2.0 / 23;
  p = fma(p, z, 2.0 / 21);
  p = fma(p, z, 2.0 / 19);
  p = fma(p, z, 2.0 / 17);
  p = fma(p, z, 2.0 / 15);
  p = fma(p, z, 2.0 / 13);
  p = fma(p, z, 2.0 / 11);
  p = fma(p, z, 2.0 / 9);
  p = fma(p, z, 2.0 / 7);
  p = fma(p, z, 2.0 / 5);
  p = fma(p, z, 2.0 / 3);
  double low = fma(s * z, p, e * 0x1.cf79abc9e3b3ap-40);
  return fma((double)e, 0x1.62e42fefap-1, fma(2.0, s, low));
}

// Sine and cosine for |x| up to pi / 4 by their Taylor series.
__device__ inline double sine(double x) {
  double z = x * x;
  double p = 1.0 / 355687428096000.0;  // 17!
  p = fma(p, z, -1.0 / 1307674368000.0);
  p = fma(p, z, 1.0 / 6227020800.0);
  p = fma(p, z, -1.0 / 39916800);
  p = fma(p, z, 1.0 / 362880);
  p = fma(p, z, -1.0 / 5040);
  p = fma(p, z, 1.0 / 120);
  p = fma(p, z, -1.0 / 6);
  return fma(x * z, p, x);
}

__device__ inline double cosine(double x) {
  double z = x * x;
  double p = 1.0 / 20922789888000.0;  // 16!
  p = fma(p, z, -1.0 / 87178291200.0);
  p = fma(p, z, 1.0 / 479001600);
  p = fma(p, z, -1.0 / 3628800);
  p = fma(p, z, 1.0 / 40320);
  p = fma(p, z, -1.0 / 720);
  p = fma(p, z, 1.0 / 24);
  p = fma(p, z, -0.5);
  return fma(p, z, 1.0);
}

__device__ inline Pair normals(Pair u) {
  double radius = sqrt(-2 * logarithm(1 - u.first));  // 1 - u lies in (0, 1], without rounding
  // 4 u = quadrant + rest with |rest| <= 1/2, exactly; the angle left is at most pi / 4
  double turns = 4 * u.second;
  int quadrant = (int)(turns + 0.5);
  double angle = (turns - quadrant) * 1.57079632679489661923;
  double c = cosine(angle), s = sine(angle);
  bool odd = (quadrant & 1) != 0;
  return {radius * (1 - ((quadrant + 1) & 2)) * (odd ? s : c),
          radius * (1 - (quadrant & 2)) * (odd ? c : s)};
}

// The leading 24 bits of a number: rounding could give 1.
__device__ inline float leading(double u) { return (int)(u * 0x1p24) * 0x1p-24f; }

// Elements 2 b and 2 b + 1 of y from counter + b.
template <class T, class F>
__device__ void draw(T* y, unsigned long long key, unsigned long long counter, int count, F f) {
  FOR_EACH(b, (count + 1) / 2) {
    Pair u = uniforms(key, counter + b);
    T first, second;
    f(u, first, second);
    y[2 * b] = first;
    if (2 * b + 1 < count) y[2 * b + 1] = second;
  }
}

#define RANDOM(type, suffix, uniform)                                                          \
  extern "C" __global__ void uniform_##suffix(type* y, unsigned long long key,                 \
                                              unsigned long long counter, int count) {         \
    draw(y, key, counter, count, [](Pair u, type& a, type& b) {                                \
      a = uniform(u.first);                                                                    \
      b = uniform(u.second);                                                                   \
    });                                                                                        \
  }                                                                                            \
  extern "C" __global__ void normal_##suffix(type* y, unsigned long long key,                  \
                                             unsigned long long counter, int count) {          \
    draw(y, key, counter, count, [](Pair u, type& a, type& b) {                                \
      Pair n = normals(u);                                                                     \
      a = (type)n.first;                                                                       \
      b = (type)n.second;                                                                      \
    });                                                                                        \
  }

RANDOM(float, f32, leading)
RANDOM(double, f64, double)
