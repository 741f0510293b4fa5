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

// Java's power: NaN to an exponent of NaN, and for 1 and -1 to an infinite one, where C has 1.
template <class T>
__device__ T power(T a, T b) {
  if (b != b) return b;
  if (isinf(b) && abs(a) == 1) return b - b;
  return pow(a, b);
}

// Whether a candidate displaces the best before it: it is larger, or the first NaN.
template <class T>
__device__ bool beats(T candidate, T best) {
  return candidate > best || (candidate != candidate && best == best);
}
