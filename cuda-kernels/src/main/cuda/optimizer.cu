// flags: -fmad=false
//
// Parameter updates in place; matches ScalarOptimizers. Operands are row-major and of one shape.
// Grid: any number of blocks of any size.
#include "walk.cuh"

template <class T>
struct Adam {
  T lr;
  T beta1;
  T beta2;
  T rest1;  // 1 - beta1, rounded once
  T rest2;
  T eps;
  T decay;        // decoupled: lr times weight decay, taken off p
  T penalty;      // not decoupled: weight decay, added to the gradient
  T correction1;  // 1 - beta1^step
  T correction2;
  T gradScale;
};

// m = beta1 m + (1 - beta1) g, v = beta2 v + (1 - beta2) g^2,
// p = p - lr (m / correction1) / (sqrt(v / correction2) + eps).
template <class T>
__device__ void adam(T* p, const T* g, T* m, T* v, int count, const Adam<T>& s) {
  FOR_EACH(i, count) {
    T value = p[i];
    T grad = g[i] * s.gradScale + s.penalty * value;
    value -= s.decay * value;
    T first = s.beta1 * m[i] + s.rest1 * grad;
    T second = s.beta2 * v[i] + s.rest2 * grad * grad;
    m[i] = first;
    v[i] = second;
    p[i] = value - s.lr * (first / s.correction1 / (sqrt(second / s.correction2) + s.eps));
  }
}

template <class T>
struct Descent {
  T lr;
  T momentum;
  T decay;
  T gradScale;
  int nesterov;
  int first;
};

// u = momentum u + g, p = p - lr u, or lr (g + momentum u) if Nesterov; u is null without momentum.
template <class T>
__device__ void sgd(T* p, const T* g, T* u, int count, const Descent<T>& s) {
  FOR_EACH(i, count) {
    T value = p[i];
    T step = g[i] * s.gradScale + s.decay * value;
    if (u != nullptr) {
      T velocity = s.first ? step : s.momentum * u[i] + step;
      u[i] = velocity;
      step = s.nesterov ? step + s.momentum * velocity : velocity;
    }
    p[i] = value - s.lr * step;
  }
}

// average = decay average + rest p.
template <class T>
__device__ void ema(T* average, const T* p, T decay, T rest, int count) {
  FOR_EACH(i, count) average[i] = decay * average[i] + rest * p[i];
}

#define OPTIMIZER(type, suffix)                                                               \
  extern "C" __global__ void adam_##suffix(type* p, const type* g, type* m, type* v,          \
                                           int count, Adam<type> s) {                         \
    adam(p, g, m, v, count, s);                                                               \
  }                                                                                           \
  extern "C" __global__ void sgd_##suffix(type* p, const type* g, type* u, int count,         \
                                          Descent<type> s) {                                  \
    sgd(p, g, u, count, s);                                                                   \
  }                                                                                           \
  extern "C" __global__ void ema_##suffix(type* average, const type* p, type decay,           \
                                          type rest, int count) {                             \
    ema(average, p, decay, rest, count);                                                      \
  }

OPTIMIZER(float, f32)
OPTIMIZER(double, f64)
