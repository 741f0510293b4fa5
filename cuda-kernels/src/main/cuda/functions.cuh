// Functions of numbers, equal in every special case to UnaryKind and BinaryKind of
// io.perflow.tensor.backend, which define them.
#pragma once

template <class T>
__device__ T sigmoid(T x) {
  T e = exp(-abs(x));  // never overflows, and keeps the lower tail accurate
  return (x < 0 ? e : T(1)) / (1 + e);
}

template <class T>
__device__ T silu(T x) {
  return x * sigmoid(x);
}

template <class T>
__device__ T silu_grad(T x) {
  return sigmoid(x) + x * sigmoid(x) * sigmoid(-x);
}

// Normal distribution function, accurate relative to itself in the lower tail.
template <class T>
__device__ T normal_cdf(T x) {
  return T(0.5) * erfc(-x * T(0.70710678118654752440));
}

template <class T>
__device__ T gelu_grad(T x) {
  T density = exp(T(-0.5) * x * x) * T(0.39894228040143267794);
  return normal_cdf(x) + (density == 0 ? T(0) : x * density);
}

template <class T>
__device__ T sign(T x) {
  return x > 0 ? T(1) : x < 0 ? T(-1) : x;  // zeros and NaN as they are
}

// The larger; NaN when either is, and +0 above -0.
template <class T>
__device__ T larger(T a, T b) {
  if (a != a) return a;
  if (a == b) return signbit(a) ? b : a;
  return a > b ? a : b;  // b when it is NaN: every comparison with it is false
}

// The smaller; NaN when either is, and -0 below +0.
template <class T>
__device__ T smaller(T a, T b) {
  if (a != a) return a;
  if (a == b) return signbit(a) ? a : b;
  return a < b ? a : b;
}

// Natural logarithm of a positive normal number as a sum hi + lo, to about 2^-60 of itself: x = 2^e
// m, log m = 2 atanh(s) with s = (m - 1) / (m + 1), whose leading term is carried in two parts.
__device__ inline void log_pair(double x, double& hi, double& lo) {
  long long bits = __double_as_longlong(x);
  int e = (int)((bits - 0x3FE6A09E667F3BCDLL) >> 52);  // exponent relative to sqrt(1/2)
  double m = __longlong_as_double(bits - ((long long)e << 52));
  double f = m - 1, g = m + 1;
  double gLow = 1 - (g - m);
  double s = f / g;
  double sLow = (fma(-s, g, f) - s * gLow) / g;
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
  double large = e * 0x1.62e42fefap-1;  // exact: log 2 is cut to 36 bits
  double small = 2 * s;
  hi = large + small;
  lo = small - (hi - large);
  lo += fma(s * z, p, 2 * sLow + e * 0x1.cf79abc9e3b3ap-40);
}

// a to the power b for a > 0 and finite arguments.
__device__ inline float positive_power(float a, float b) { return powf(a, b); }

__device__ inline double positive_power(double a, double b) {
  double hi, lo, shift = 0;
  if (a < 0x1p-1022) {  // subnormal
    a *= 0x1p54;
    shift = -54;
  }
  log_pair(a, hi, lo);
  if (shift != 0) {
    hi += shift * 0x1.62e42fefap-1;
    lo += shift * 0x1.cf79abc9e3b3ap-40;
  }
  double product = b * hi;
  double rest = fma(b, hi, -product) + b * lo;
  // where the exponential over- or underflows, the rest is nothing or not a number
  return abs(product) > 800 ? exp(product) : exp(product) * (1 + rest);
}

// Java's power: NaN to an exponent of NaN, and for 1 and -1 to an infinite one, where C has 1.
template <class T>
__device__ T power(T a, T b) {
  if (b == 0) return 1;
  if (a != a || b != b) return a + b;
  T size = abs(a);
  if (isinf(b)) {
    if (size == 1) return b - b;
    return (size > 1) == (b > 0) ? T(INFINITY) : T(0);
  }
  bool whole = floor(b) == b;
  bool odd = whole && floor(b / 2) * 2 != b;
  if (a < 0 && !whole && !isinf(a)) return T(NAN);
  T result;
  if (a == 0 || isinf(a)) {
    result = (a == 0) == (b > 0) ? T(0) : T(INFINITY);
  } else {
    result = positive_power(size, b);
  }
  return signbit(a) && odd ? -result : result;
}

// Sine and cosine of radians. In double by half turns q = x / pi, carried in two parts with 1 / pi
// in three: right to the last bits up to |x| = 1e30, where the next double is 1e14 away.
__device__ inline void half_turns(double x, double& q, double& rest) {
  constexpr double A = 0x1.45f306dc9c883p-2;
  constexpr double B = -0x1.6b01ec5417056p-56;
  constexpr double C = -0x1.6447e493ad4cep-110;
  double high = x * A;
  double middle = x * B;
  double low = fma(x, B, -middle) + x * C;
  double first = high - 2 * rint(high / 2);  // whole turns fall away without rounding
  double second = middle - 2 * rint(middle / 2);
  double third = fma(x, A, -high);
  q = first + second;
  double back = q - first;
  rest = (first - (q - back)) + (second - back) + (third - 2 * rint(third / 2)) + low;
}

__device__ inline float sine(float x) { return sinf(x); }
__device__ inline float cosine(float x) { return cosf(x); }

__device__ inline double sine(double x) {
  if (x == 0) return x;  // with its sign
  double q, rest;
  half_turns(x, q, rest);
  return fma(cospi(q), rest * 3.14159265358979323846, sinpi(q));
}

__device__ inline double cosine(double x) {
  double q, rest;
  half_turns(x, q, rest);
  return fma(-sinpi(q), rest * 3.14159265358979323846, cospi(q));
}

// Whether a candidate displaces the best before it: it is larger, or the first NaN.
template <class T>
__device__ bool beats(T candidate, T best) {
  return candidate > best || (candidate != candidate && best == best);
}
