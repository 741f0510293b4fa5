// flags: -fmad=false
//
// Functions of single elements with broadcasting; matches ScalarElementwise.
//
// Grid: any number of blocks of any size; each thread takes every so many-th group of the walk.
// Operand 0 of a walk is the result. An operand whose pointer is null is one number, given by
// value: `x + 1` needs no memory for the 1.
#include "functions.cuh"
#include "walk.cuh"

template <class T>
__device__ Group<T> load_or(const T* p, int at, int step, T value) {
  if (p != nullptr) return load(p + at, step);
  Group<T> g;
#pragma unroll
  for (int j = 0; j < Group<T>::WIDTH; ++j) g.e[j] = value;
  return g;
}

// Long functions are not repeated in the code for each element of a group: they compute far longer
// than their loads take.
enum Length { SHORT, LONG };

// y = f(x).
template <Length L, class Y, class X, class F>
__device__ void map(Y* y, const X* x, const Walk<2>& walk, F f) {
  FOR_EACH(i, walk.groups) {
    int at[2];
    walk.locate(i, at);
    if constexpr (L == SHORT) {
      if (walk.width > 1) {
        Group<X> in = load(x + at[1], walk.step[1]);
        Group<Y> out;
#pragma unroll
        for (int j = 0; j < Group<Y>::WIDTH; ++j) out.e[j] = f(in.e[j]);
        store(y + at[0], out);
      } else {
        y[at[0]] = f(x[at[1]]);
      }
    } else {
#pragma unroll 1
      for (int j = 0; j < walk.width; ++j) y[at[0] + j] = f(x[at[1] + j * walk.step[1]]);
    }
  }
}

// y = f(a, b).
template <Length L, class T, class F>
__device__ void zip(T* y, const T* a, const T* b, T va, T vb, const Walk<3>& walk, F f) {
  FOR_EACH(i, walk.groups) {
    int at[3];
    walk.locate(i, at);
    if constexpr (L == LONG) {
#pragma unroll 1
      for (int j = 0; j < walk.width; ++j) {
        T left = a == nullptr ? va : a[at[1] + j * walk.step[1]];
        T right = b == nullptr ? vb : b[at[2] + j * walk.step[2]];
        y[at[0] + j] = f(left, right);
      }
    } else if (walk.width > 1) {
      Group<T> left = load_or(a, at[1], walk.step[1], va);
      Group<T> right = load_or(b, at[2], walk.step[2], vb);
      Group<T> out;
#pragma unroll
      for (int j = 0; j < Group<T>::WIDTH; ++j) out.e[j] = f(left.e[j], right.e[j]);
      store(y + at[0], out);
    } else {
      y[at[0]] = f(a == nullptr ? va : a[at[1]], b == nullptr ? vb : b[at[2]]);
    }
  }
}

#define UNARY_OF(name, length, type, suffix, expression)                                    \
  extern "C" __global__ void unary_##name##_##suffix(type* y, const type* x, Walk<2> walk) { \
    using T = type;                                                                         \
    map<length>(y, x, walk, [](T x) { return (T)(expression); });                           \
  }
#define UNARY(name, length, expression)            \
  UNARY_OF(name, length, float, f32, expression)   \
  UNARY_OF(name, length, double, f64, expression)

UNARY(neg, SHORT, -x)
UNARY(abs, SHORT, abs(x))
UNARY(sign, SHORT, sign(x))
UNARY(square, SHORT, x* x)
UNARY(sqrt, SHORT, sqrt(x))
UNARY(rsqrt, SHORT, T(1) / sqrt(x))
UNARY(reciprocal, SHORT, T(1) / x)
UNARY(exp, LONG, exp(x))
UNARY(log, LONG, log(x))
UNARY(sin, LONG, sin(x))
UNARY(cos, LONG, cos(x))
UNARY(tanh, LONG, tanh(x))
UNARY(sigmoid, LONG, sigmoid(x))
UNARY(silu, LONG, silu(x))
UNARY(silu_grad, LONG, silu_grad(x))
UNARY(relu, SHORT, x < 0 ? T(0) : x)
UNARY(gelu, LONG, x* normal_cdf(x))
UNARY(gelu_grad, LONG, gelu_grad(x))
UNARY(erf, LONG, erf(x))
UNARY(softplus, LONG, (x > 0 ? x : T(0)) + log1p(exp(-abs(x))))
UNARY(floor, SHORT, floor(x))
UNARY(round, SHORT, rint(x))
UNARY(ceil, SHORT, ceil(x))
UNARY(is_nan, SHORT, x != x ? T(1) : T(0))
UNARY(not, SHORT, x == 0 ? T(1) : T(0))
UNARY(copy, SHORT, x)

extern "C" __global__ void cast_f32_f64(double* y, const float* x, Walk<2> walk) {
  map<LONG>(y, x, walk, [](float x) { return (double)x; });
}

extern "C" __global__ void cast_f64_f32(float* y, const double* x, Walk<2> walk) {
  map<LONG>(y, x, walk, [](double x) { return (float)x; });
}

#define BINARY_OF(name, length, type, suffix, expression)                                    \
  extern "C" __global__ void binary_##name##_##suffix(                                       \
      type* y, const type* a, const type* b, type va, type vb, Walk<3> walk) {               \
    using T = type;                                                                          \
    zip<length>(y, a, b, va, vb, walk, [](T a, T b) { return (T)(expression); });            \
  }
#define BINARY(name, length, expression)           \
  BINARY_OF(name, length, float, f32, expression)  \
  BINARY_OF(name, length, double, f64, expression)

BINARY(add, SHORT, a + b)
BINARY(sub, SHORT, a - b)
BINARY(mul, SHORT, a* b)
BINARY(div, SHORT, a / b)
BINARY(min, SHORT, smaller(a, b))
BINARY(max, SHORT, larger(a, b))
BINARY(pow, LONG, power(a, b))
BINARY(atan2, LONG, atan2(a, b))
BINARY(eq, SHORT, a == b ? T(1) : T(0))
BINARY(ne, SHORT, a != b ? T(1) : T(0))
BINARY(lt, SHORT, a < b ? T(1) : T(0))
BINARY(le, SHORT, a <= b ? T(1) : T(0))
BINARY(gt, SHORT, a > b ? T(1) : T(0))
BINARY(ge, SHORT, a >= b ? T(1) : T(0))

// The rest in both types: a + alpha b, a choice, a product of complex numbers, one number.
#define MORE(type, suffix)                                                                   \
  extern "C" __global__ void add_scaled_##suffix(                                            \
      type* y, const type* a, const type* b, type alpha, Walk<3> walk) {                     \
    zip<SHORT>(y, a, b, type(0), type(0), walk,                                              \
               [alpha](type a, type b) { return a + alpha * b; });                           \
  }                                                                                          \
                                                                                             \
  extern "C" __global__ void where_##suffix(                                                 \
      type* y, const type* condition, const type* a, const type* b, Walk<4> walk) {          \
    FOR_EACH(i, walk.groups) {                                                               \
      int at[4];                                                                             \
      walk.locate(i, at);                                                                    \
      y[at[0]] = condition[at[1]] != 0 ? a[at[2]] : b[at[3]];                                \
    }                                                                                        \
  }                                                                                          \
                                                                                             \
  /* The walk runs over the real parts; the imaginary ones lie so many elements behind. */   \
  extern "C" __global__ void complex_mul_##suffix(                                           \
      type* y, const type* a, const type* b, int yIm, int aIm, int bIm, type sign,           \
      Walk<3> walk) {                                                                        \
    FOR_EACH(i, walk.groups) {                                                               \
      int at[3];                                                                             \
      walk.locate(i, at);                                                                    \
      type re = a[at[1]], im = a[at[1] + aIm];                                               \
      type bRe = b[at[2]], bImaginary = sign * b[at[2] + bIm];                               \
      y[at[0]] = re * bRe - im * bImaginary;                                                 \
      y[at[0] + yIm] = re * bImaginary + im * bRe;                                           \
    }                                                                                        \
  }                                                                                          \
                                                                                             \
  extern "C" __global__ void fill_##suffix(type* y, type value, int count) {                 \
    FOR_EACH(i, count) y[i] = value;                                                         \
  }

MORE(float, f32)
MORE(double, f64)
